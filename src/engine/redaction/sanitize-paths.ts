/** The parsed entries of `log.sanitize` for requests or for responses. */
export interface SanitizePaths {
  /** Lower case. */
  readonly headers: ReadonlySet<string>;
  readonly qs: ReadonlySet<string>;
  /** Steps into the body; an empty list is the whole body. */
  readonly body: readonly (readonly string[])[];
  /** Texts that are redacted at any position of a body. */
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

const openSide = () => ({
  headers: new Set<string>(),
  qs: new Set<string>(),
  body: [] as string[][],
  bodyTexts: [] as string[],
});

function addEntry(
  { headers, qs, body, bodyTexts }: ReturnType<typeof openSide>,
  part: string | undefined,
  rest: string,
): void {
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

/** Deeper levels are not shown. */
const MAX_STEPS = 100;

/** Converts `.a[].b[0]` to `a`, `b`; an index matches all items. Undefined for a path below the shown levels. */
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

/** Paths as a tree: a step down is one lookup, however many paths there are. */
export interface HiddenPaths {
  /** Whether a path ends here. */
  readonly isEnd: boolean;
  readonly below: ReadonlyMap<string, HiddenPaths>;
}

export const NO_PATHS: HiddenPaths = { isEnd: false, below: new Map() };

interface OpenPaths extends HiddenPaths {
  isEnd: boolean;
  readonly below: Map<string, OpenPaths>;
}

export function joinPaths(paths: readonly (readonly string[])[]): HiddenPaths {
  const root: OpenPaths = { isEnd: false, below: new Map() };
  for (const path of paths) {
    let at = root;
    for (const step of path) {
      const next = at.below.get(step) ?? { isEnd: false, below: new Map() };
      at.below.set(step, next);
      at = next;
    }
    at.isEnd = true;
  }
  return root;
}
