import { GUEST_BUFFER } from './buffer.js';
import { GUEST_CODEC } from './codec.js';
import { GUEST_DISPATCH } from './dispatch.js';
import { GUEST_ENCODINGS } from './encodings.js';
import { GUEST_HARDEN } from './harden.js';

const HOST_RANDOM = ' random';

/**
 * The script a fresh context starts with: a function of the two doors to the host and of the names to offer,
 * which returns the guest's side of the border. `names` is JSON: `{ builtins, functions, environment }`.
 */
export const GUEST_PRELUDE: string = `(function (host, hostBytes, names) {
'use strict';
${GUEST_ENCODINGS}
${GUEST_BUFFER}
${GUEST_CODEC}
${GUEST_DISPATCH}
const offered = JSON.parse(names);
const iml = Object.create(null);
for (const name of offered.builtins) iml[name] = (...args) => callHost(name, args);
offered.functions.forEach((name, index) => {
  iml[name] = (...args) => run(index, args);
});
const environment = Object.assign(Object.create(null), decode(offered.environment));
Object.defineProperty(environment, 'timezone', { get: () => timezone, enumerable: true, configurable: true });
Object.assign(globalThis, { iml, environment, Buffer });
Math.random = () => callHost('${HOST_RANDOM}', []);
${GUEST_HARDEN}
return {
  dispatch,
  takeBytes,
  define(index, factory) {
    factories[index] = factory;
  },
};
})`;

/** The host function behind `Math.random`; no function of IML can have its name. */
export const RANDOM_FUNCTION: string = HOST_RANDOM;
