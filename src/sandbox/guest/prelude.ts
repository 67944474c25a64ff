import { GUEST_BUFFER } from './buffer.js';
import { GUEST_CODEC } from './codec.js';
import { GUEST_DISPATCH } from './dispatch.js';
import { GUEST_ENCODINGS } from './encodings.js';
import { GUEST_HARDEN } from './harden.js';

const HOST_RANDOM = ' random';
const HOST_DEBUG = ' debug';

/**
 * The script a fresh context starts with: a function of the two doors to the host, which returns the guest's side of the
 * border. It knows nothing of an app, so that what it leaves can be kept for all of them (`prepare-quickjs.ts`); `offer` tells
 * the names an app may reach, as JSON: `{ builtins, functions, environment, maxParts }`.
 */
export const GUEST_PRELUDE: string = `(function (host, hostBytes) {
'use strict';
${GUEST_ENCODINGS}
${GUEST_BUFFER}
${GUEST_CODEC}
${GUEST_DISPATCH}
const iml = Object.create(null);
const environment = Object.create(null);
const debug = (...values) => {
  const { stack } = new Error();
  try {
    callHost('${HOST_DEBUG}', [stack, ...values]);
  } catch (error) {
    // Null is what comes where the memory has no room for an error.
    if (error === null || error instanceof InternalError) throw error;
    callHost('${HOST_DEBUG}', [stack, 'A value that cannot be shown: ' + String(error.message)]);
  }
};
Object.assign(globalThis, { iml, environment, Buffer, debug });
Math.random = () => callHost('${HOST_RANDOM}', []);
${GUEST_HARDEN}
function offer(names) {
  const offered = JSON.parse(names);
  maxParts = offered.maxParts;
  for (const name of offered.builtins) iml[name] = (...args) => callHost(name, args);
  offered.functions.forEach((name, index) => {
    iml[name] = (...args) => run(index, args);
  });
  Object.assign(environment, decode(offered.environment));
  Object.defineProperty(environment, 'timezone', { get: () => timezone, enumerable: true, configurable: true });
  hardenOffered();
}
return {
  offer,
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
