import { GUEST_BUFFER } from './buffer.js';
import { GUEST_CODEC } from './codec.js';
import { GUEST_DISPATCH } from './dispatch.js';
import { GUEST_ENCODINGS } from './encodings.js';
import { GUEST_HARDEN } from './harden.js';

const HOST_RANDOM = ' random';
const HOST_DEBUG = ' debug';

/**
 * The script a fresh context starts with: a function of the two doors to the host and of the names to offer,
 * which returns the guest's side of the border. `names` is JSON: `{ builtins, functions, environment, maxParts }`.
 */
export const GUEST_PRELUDE: string = `(function (host, hostBytes, names) {
'use strict';
${GUEST_ENCODINGS}
${GUEST_BUFFER}
${GUEST_CODEC}
${GUEST_DISPATCH}
const offered = JSON.parse(names);
maxParts = offered.maxParts;
const iml = Object.create(null);
for (const name of offered.builtins) iml[name] = (...args) => callHost(name, args);
offered.functions.forEach((name, index) => {
  iml[name] = (...args) => run(index, args);
});
const environment = Object.assign(Object.create(null), decode(offered.environment));
Object.defineProperty(environment, 'timezone', { get: () => timezone, enumerable: true, configurable: true });
const debug = (...values) => {
  const { stack } = new Error();
  try {
    callHost('${HOST_DEBUG}', [stack, ...values]);
  } catch (error) {
    if (error instanceof InternalError) throw error;
    callHost('${HOST_DEBUG}', [stack, 'A value that cannot be shown: ' + String(error.message)]);
  }
};
Object.assign(globalThis, { iml, environment, Buffer, debug });
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

/** The host function behind `debug`. */
export const DEBUG_FUNCTION: string = HOST_DEBUG;

/** The host function behind `Math.random`; no function of IML can have its name. */
export const RANDOM_FUNCTION: string = HOST_RANDOM;
