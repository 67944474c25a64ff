import { GLOBAL_FUNCTIONS } from '../global-functions.js';
import { GUEST_BUFFER } from './buffer.js';
import { GUEST_CODEC } from './codec.js';
import { GUEST_DISPATCH } from './dispatch.js';
import { GUEST_ENCODINGS } from './encodings.js';
import { GUEST_HARDEN } from './harden.js';

const HOST_RANDOM = ' random';
const HOST_DEBUG = ' debug';

/**
 * The script that a new context starts with: a function that takes the two host functions and returns the functions that the host calls. It contains
 * nothing of an app, so that the memory after it can be stored for all apps (`prepare-quickjs.ts`). `offer` adds names that an app may use, as
 * JSON, in several calls; `closeOffer` adds the last ones and refuses further ones.
 */
export const GUEST_PRELUDE: string = `(function (host, hostBytes) {
'use strict';
${GUEST_ENCODINGS}
${GUEST_BUFFER}
${GUEST_CODEC}
${GUEST_DISPATCH}
const GLOBALS = ${JSON.stringify(GLOBAL_FUNCTIONS)};
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
function offer(text) {
  const { kind, from, names } = JSON.parse(text);
  harden(
    names.map((name, at) => {
      const index = from + at;
      return (iml[name] = kind === 'builtins' ? (...args) => callHost(name, args) : (...args) => run(index, args));
    }),
  );
  if (kind !== 'builtins') return;
  for (const name of GLOBALS) {
    if (!(name in iml)) continue;
    Object.defineProperty(globalThis, name, { value: iml[name] });
    globalNames.add(name);
  }
  globalCount = globalNames.size;
}
function closeOffer(text) {
  const offered = JSON.parse(text);
  maxParts = offered.maxParts;
  Object.assign(environment, decode(offered.environment));
  Object.defineProperty(environment, 'timezone', { get: () => timezone, enumerable: true, configurable: true });
  hardenOffered();
}
return {
  offer,
  closeOffer,
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
