/**
 * The parameters that the code of a custom function surely needs: without a default, and not tested for absence. A function that
 * reads `arguments` or takes its parameters apart needs none.
 */
export function listRequiredParameters(code: string, name: string): readonly string[] {
  const head = new RegExp(`\\bfunction\\s+${name.replaceAll('$', '\\$&')}\\s*\\(([^()]*)\\)`).exec(code);
  if (head === null || /\barguments\b/.test(code)) return [];
  const body = code.slice(head.index + head[0].length);
  const names = (head[1] ?? '').split(',').map((parameter) => parameter.trim());
  const end = names.findIndex(
    (parameter) => !/^[A-Za-z_$][\w$]*$/.test(parameter) || isOptional(body, parameter),
  );
  return end < 0 ? names : names.slice(0, end);
}

/** Whether code tests a parameter for absence, as in `if (!name)`, `name ?? 0`, `name === undefined` or `typeof name`. */
function isOptional(body: string, name: string): boolean {
  const written = name.replaceAll('$', '\\$&');
  const tests = [
    `!\\s*${written}\\b`,
    `\\b${written}\\s*(?:\\?|\\|\\||&&|[!=]==?\\s*(?:undefined|null|void)|=[^=>])`,
    `typeof\\s*\\(?\\s*${written}\\b`,
    `if\\s*\\(\\s*${written}\\s*\\)`,
  ];
  return tests.some((test) => new RegExp(test).test(body));
}
