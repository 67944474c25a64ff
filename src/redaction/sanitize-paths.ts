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
  return { request: readSide('request', entries), response: readSide('response', entries) };
}

function readSide(side: 'request' | 'response', entries: readonly string[]): SanitizePaths {
  const headers = new Set<string>();
  const qs = new Set<string>();
  const body: string[][] = [];
  const bodyTexts: string[] = [];
  for (const entry of entries) {
    const match = FORM.exec(entry.trim());
    if (match === null || match[1] !== side) continue;
    const [, , part, rest = ''] = match;
    if (part === 'body' && rest.startsWith('<') && rest.endsWith('>')) {
      if (rest.length > 2) bodyTexts.push(rest.slice(1, -1));
      continue;
    }
    if (rest !== '' && !rest.startsWith('.') && !rest.startsWith('[')) continue;
    if (part === 'headers') headers.add(readName(rest).toLowerCase());
    else if (part === 'qs') qs.add(readName(rest));
    else {
      const steps = readSteps(rest);
      if (steps !== undefined) body.push(steps);
    }
  }
  return { headers, qs, body, bodyTexts };
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

export function joinPaths(paths: readonly (readonly string[])[]): HiddenPaths {
  if (paths.length === 0) return NO_PATHS;
  const byStep = new Map<string, (readonly string[])[]>();
  for (const [step, ...rest] of paths) {
    if (step === undefined) continue;
    const others = byStep.get(step);
    if (others === undefined) byStep.set(step, [rest]);
    else others.push(rest);
  }
  const below = new Map([...byStep].map(([step, rests]) => [step, joinPaths(rests)]));
  return { isEnd: paths.some((path) => path.length === 0), below };
}
