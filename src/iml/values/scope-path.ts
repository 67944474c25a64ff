import { isInherited, memberReader } from './path.js';
import { firstStep, furtherStep, type PathReader } from './path-step.js';

/** Reads a name of a scope, then members, one after the other. */
export function scopePathReader(names: readonly string[]): PathReader {
  for (const name of names) if (isInherited(name)) return stepwiseReader(names);
  const root = names[0] ?? '';
  const second = names[1];
  if (second === undefined) return nameReader(root);
  let read = firstStep(root, second);
  for (let index = 2; index < names.length; index++) read = furtherStep(read, names[index] ?? '');
  return read;
}

function nameReader(name: string): PathReader {
  return (scope) => {
    const value = scope[name];
    return typeof value === 'function' ? undefined : value;
  };
}

function stepwiseReader(names: readonly string[]): PathReader {
  const readers = names.map(memberReader);
  return (scope) => {
    let value: unknown = scope;
    for (const read of readers) value = read(value);
    return value;
  };
}
