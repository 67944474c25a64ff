import type { FunctionComponent } from '../document/app.js';

/** Parameter names of a custom function; empty if its code does not parse. */
export function readOwnParameters({ name, code = '' }: FunctionComponent): readonly string[] {
  const heads = [...code.matchAll(/\bfunction\s+([A-Za-z_$][\w$]*)\s*\(([^()]*)\)/g)];
  const list = heads.find((match) => match[1] === name)?.[2] ?? '';
  return list
    .split(',')
    .map((parameter) => parameter.trim())
    .filter((parameter) => parameter !== '');
}
