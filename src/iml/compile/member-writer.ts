import type { PlainObject } from '../../util/plain-object.js';
import type { Scope } from '../environment/environment.js';
import { createPlaces } from '../values/name-places.js';
import { type CompiledValue, valueFor } from './compiled-value.js';

/** Writes a member of an object that has one of its name. Gives whether there is a value. */
export type MemberWriter = (object: PlainObject, scope: Scope) => boolean;

/** One function literal a name, the last one for all others: see `pathStep` for the reason. */
const MAKERS: readonly ((name: string, ready: CompiledValue) => MemberWriter)[] = [
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
  (name, ready) => (object, scope) => {
    const value = valueFor(ready, scope);
    object[name] = value;
    return value !== undefined;
  },
];

const placeOf = createPlaces(MAKERS.length);

export function memberWriter(name: string, ready: CompiledValue): MemberWriter {
  const make = MAKERS[placeOf(name)] as (typeof MAKERS)[number];
  return make(name, ready);
}
