/** `log.sanitize` of one side of an exchange, read. */
export interface SanitizePaths {
  /** Lower case. */
  readonly headers: ReadonlySet<string>;
  readonly qs: ReadonlySet<string>;
  /** Steps into the body; an empty list is the whole body. */
  readonly body: readonly (readonly string[])[];
  /** Pieces of a text body. */
  readonly bodyTexts: readonly string[];
}

export interface Sanitize {
  readonly request: SanitizePaths;
  readonly response: SanitizePaths;
}

const FORM = /^(request|response)\.(headers|qs|body)(.*)$/s;

/**
 * Reads dotted paths (`request.qs.key`, `response.body.a.b`) and the form `request.body<text>`, whose text is the
 * already evaluated expression. Lists in a body are passed through, so `response.body.items.token` names the token of
 * every item [inf]. Entries of another form are ignored.
 * Source: https://developers.make.com/custom-apps-documentation/component-blocks/api. [doc]
 */
export function readSanitize(entries: readonly string[]): Sanitize {
  const sides = { request: openSide(), response: openSide() };
  for (const entry of entries) {
    const [, side, part, rest = ''] = FORM.exec(entry.trim()) ?? [];
    if (side === 'request' || side === 'response') addEntry(sides[side], part, rest);
  }
  return sides;
}

interface OpenSide extends SanitizePaths {
  readonly headers: Set<string>;
  readonly qs: Set<string>;
  readonly body: string[][];
  readonly bodyTexts: string[];
}

function openSide(): OpenSide {
  return { headers: new Set(), qs: new Set(), body: [], bodyTexts: [] };
}

function addEntry({ headers, qs, body, bodyTexts }: OpenSide, part: string | undefined, rest: string): void {
  if (part === 'body' && rest.startsWith('<') && rest.endsWith('>')) {
    if (rest.length > 2) bodyTexts.push(rest.slice(1, -1));
    return;
  }
  if (rest !== '' && !rest.startsWith('.') && !rest.startsWith('[')) return;
  if (part === 'headers') headers.add(readName(rest).toLowerCase());
  else if (part === 'qs') qs.add(readName(rest));
  else {
    const steps = readSteps(rest);
    if (steps !== undefined) body.push(steps);
  }
}

/** `.x-key`, also with the name in backticks as in expressions. [app] */
function readName(rest: string): string {
  return rest.slice(1).replace(/^`(.*)`$/s, '$1');
}

/** What is below so many levels is not shown. */
const MAX_STEPS = 100;

/** `.a[].b[0]` as `a`, `b`: places in lists are not told apart. Undefined for a path that leads deeper than anything is shown. */
function readSteps(path: string): string[] | undefined {
  const steps: string[] = [];
  for (const [step, quoted] of path.replace(/\[\d*\]/g, '').matchAll(/`([^`]*)`|[^.`]+/g)) {
    const name = quoted ?? step;
    if (name === '' || /^\d+$/.test(name)) continue;
    if (steps.length >= MAX_STEPS) return undefined;
    steps.push(name);
  }
  return steps;
}

/** Paths from one place on, joined where they begin alike: a step is one look, however many paths there are. */
export interface HiddenPaths {
  /** Whether one ends here. */
  readonly isEnd: boolean;
  readonly below: ReadonlyMap<string, HiddenPaths>;
}

export const NO_PATHS: HiddenPaths = { isEnd: false, below: new Map() };

/** @param known paths that are joined already; they stay as they are */
export function joinPaths(paths: readonly (readonly string[])[], known: HiddenPaths = NO_PATHS): HiddenPaths {
  if (paths.length === 0) return known;
  const own = new Map<HiddenPaths, OpenPaths>();
  const open = (place: HiddenPaths = NO_PATHS): OpenPaths => {
    const made = own.get(place) ?? { isEnd: place.isEnd, below: new Map(place.below) };
    own.set(made, made);
    return made;
  };
  const root = open(known);
  for (const path of paths) {
    let at = root;
    for (const step of path) {
      const next = open(at.below.get(step));
      at.below.set(step, next);
      at = next;
    }
    at.isEnd = true;
  }
  return root;
}

/** As long as further paths are joined to it. */
interface OpenPaths extends HiddenPaths {
  isEnd: boolean;
  readonly below: Map<string, HiddenPaths>;
}
