/**
 * What something handed in is, in words for its owner: `null`, `text`, `the number NaN`, `a list`, `a promise`. Texts are never
 * shown, as one in the wrong place may be a secret.
 */
export function describeGiven(value: unknown): string {
  switch (typeof value) {
    case 'undefined':
      return 'nothing';
    case 'string':
      return value === '' ? 'empty text' : 'text';
    case 'number':
      return `the number ${value}`;
    case 'boolean':
      return `${value}`;
    case 'object':
      return value === null ? 'null' : describeObject(value);
    default:
      return `a ${typeof value}`;
  }
}

function describeObject(value: object): string {
  try {
    if (Array.isArray(value)) return 'a list';
    if ('then' in value) return 'a promise';
    const prototype: object | null = Object.getPrototypeOf(value);
    const name: unknown = prototype?.constructor?.name;
    const isNamed = typeof name === 'string' && name !== 'Object' && /^\w{1,40}$/.test(name);
    return isNamed ? `an object of ${name}` : 'an object';
  } catch {
    // A proxy whose traps throw.
    return 'an object';
  }
}
