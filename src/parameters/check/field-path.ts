const NAME = /^[A-Za-z_$][\w$]*$/;

/**
 * The path of a member, written as the language writes it: `items[2].email`, ``headers.`X-Key` ``.
 * With `parameters.` in front it is the expression that reads the value.
 */
export function memberPath(parent: string, name: string): string {
  const step = NAME.test(name) ? name : `\`${name.slice(0, 128)}\``;
  return parent === '' ? step : `${parent}.${step}`;
}

/** The path of an item; `index` counts from 0, the path from 1 as paths of the language do. */
export function itemPath(parent: string, index: number): string {
  return `${parent}[${index + 1}]`;
}
