/**
 * The parameters without which the code of a custom function fails or computes `NaN` and `undefined`: it reads their members, calls
 * or iterates them, or computes with them, and nowhere tests them for absence. A parameter that is only passed on is not needed. A
 * function that reads `arguments` or destructures a parameter needs none from there on.
 */
export function listNeededParameters(code: string, name: string): readonly NeededParameter[] {
  const head = new RegExp(`\\bfunction\\s+${forPattern(name)}\\s*\\(([^()]*)\\)`).exec(code);
  if (head === null || /\barguments\b/.test(code)) return [];
  const body = code.slice(head.index + head[0].length);
  const names = (head[1] ?? '').split(',').map((parameter) => parameter.trim());
  const end = names.findIndex((parameter) => !/^[A-Za-z_$][\w$]*$/.test(parameter));
  return names
    .slice(0, end < 0 ? names.length : end)
    .map((parameter, index) => ({ name: parameter, index }))
    .filter((parameter) => isUsed(body, parameter.name) && !isTested(body, parameter.name));
}

export interface NeededParameter {
  readonly name: string;
  /** 0-based. */
  readonly index: number;
}

function isUsed(body: string, name: string): boolean {
  const written = `(?<![\\w$.])${forPattern(name)}(?![\\w$])`;
  return matchesAny(body, [
    `${written}\\s*(?:\\.(?!\\.)|\\[|\\(|[-+*/%])`,
    `(?:[-+*/%]|\\.\\.\\.|\\bof|\\$\\{)\\s*${written}`,
  ]);
}

/** Whether code tests a parameter for absence, as in `if (!name)`, `name?.id`, `name ?? 0`, `name === undefined` or `typeof name`. */
function isTested(body: string, name: string): boolean {
  const written = `(?<![\\w$.])${forPattern(name)}(?![\\w$])`;
  return matchesAny(body, [
    `!\\s*${written}`,
    `${written}\\s*(?:\\?|\\|\\||&&|[!=]==?\\s*(?:undefined|null|void)|=[^=>]|instanceof\\b)`,
    `(?:undefined|null)\\s*[!=]==?\\s*${written}`,
    `typeof\\s*\\(?\\s*${written}`,
    `(?:if|while|switch|Boolean|isArray|ifempty)\\s*\\(\\s*${written}\\s*[,)]`,
    `&&\\s*${written}\\s*(?:\\)|&&|\\|\\|)`,
  ]);
}

function matchesAny(body: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => new RegExp(pattern).test(body));
}

function forPattern(name: string): string {
  return name.replaceAll('$', '\\$&');
}
