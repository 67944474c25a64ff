import type { PlainObject } from '../../util/plain-object.js';
import type { Scope } from '../environment/environment.js';
import { type CompiledValue, valueFor } from './compiled-value.js';

/** Writes a member of an object that already has one of its name. Returns whether there is a value. */
export type MemberWriter = (object: PlainObject, scope: Scope) => boolean;

// biome-ignore-start lint/suspicious/noAssignInExpressions: one line per literal.
/** The same function in several literals, for the reason given in `path-step.ts`. */
const WRITERS: readonly ((name: string, ready: CompiledValue) => MemberWriter)[] = [
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
  (name, ready) => (object, scope) => (object[name] = valueFor(ready, scope)) !== undefined,
];
// biome-ignore-end lint/suspicious/noAssignInExpressions: one line per literal.

const writerOfName = new Map<string, number>();

export function memberWriter(name: string, ready: CompiledValue): MemberWriter {
  const writer = writerOfName.get(name) ?? Math.min(writerOfName.size, WRITERS.length - 1);
  if (writerOfName.size < WRITERS.length) writerOfName.set(name, writer);
  return (WRITERS[writer] as (typeof WRITERS)[number])(name, ready);
}
