import { CONSOLE_METHODS, GLOBAL_FUNCTIONS } from '../sandbox.js';
import { GUEST_BUFFER } from './buffer.js';
import { GUEST_CODEC } from './codec.js';
import { GUEST_ENCODINGS } from './encodings.js';

/**
 * Guest side of a call: finds the custom function, runs it, describes its result or exception, and reports whether it
 * left state behind. Part of the prelude; `host` and `hostBytes` are its parameters.
 */
const GUEST_DISPATCH: string = `
const MAX_MESSAGE = 2000;
const MAX_STACK = 4000;
let timezone = 'UTC';
const factories = [];

function callHost(name, args) {
  const text = encode(args);
  const reply = host(name, text, text[0] === 'B' ? takeBytes() : undefined);
  if (reply[0] !== 'E') return decode(reply, reply[0] === 'B' ? hostBytes() : undefined);
  const problem = JSON.parse(reply.slice(1));
  const error = new Error(problem.message);
  if (problem.code !== undefined) error.code = problem.code;
  throw error;
}

// Each call gets the author's file afresh, so that its top-level variables do not outlive the call.
function run(index, args) {
  const factory = factories[index];
  if (typeof factory === 'string') throw new Error(factory);
  const found = factory().find((candidate) => typeof candidate === 'function');
  if (found === undefined) throw new TypeError('The file declares no function');
  return found.apply({ timezone }, args);
}

function dispatch(text, blob) {
  const call = JSON.parse(text);
  timezone = call[1];
  let reply;
  try {
    const result = run(call[0], call[2] === 'P' ? call[3] : fromTagged(call[3], blob));
    if (typeof result === 'object' && result !== null && typeof result.then === 'function') {
      throw new TypeError('The function returned a promise: custom functions are synchronous');
    }
    reply = encode(result);
  } catch (error) {
    reply = 'E' + JSON.stringify(describe(error));
  }
  return (isTidy() ? '+' : '-') + reply;
}

function cut(text, length) {
  return text.length > length ? text.slice(0, length) + '…' : text;
}

// Reading a thrown value can run getters of the app, which can throw.
function describe(thrown) {
  try {
    if (thrown === null) return { message: 'null', limit: 'unsaid', stack: '' };
    if (thrown instanceof Error) {
      const message = cut(String(thrown.message), MAX_MESSAGE) || cut(String(thrown.name), MAX_MESSAGE);
      const limit = thrown instanceof InternalError ? 'guest' : thrown.code === 'IML_LIMIT' ? 'host' : 'none';
      return { message, limit, stack: cut(String(thrown.stack), MAX_STACK) };
    }
    if (typeof thrown === 'object' && typeof thrown.message === 'string') {
      return { message: cut(thrown.message, MAX_MESSAGE), limit: 'none', stack: '' };
    }
    const shown = typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown);
    return { message: cut(String(shown), MAX_MESSAGE), limit: 'none', stack: '' };
  } catch {
    return { message: 'It threw a value that cannot be read', limit: 'none', stack: '' };
  }
}

// Variables that the author forgot to declare become members of the global object: they are taken away again.
function isTidy() {
  const names = Reflect.ownKeys(globalThis);
  if (names.length !== globalCount) {
    for (const name of names) if (!globalNames.has(name) && !Reflect.deleteProperty(globalThis, name)) return false;
  }
  return Object.isExtensible(globalThis) && Object.getPrototypeOf(globalThis) === Object.prototype;
}
`;
/**
 * Freezes everything that calls share, so that a call cannot leave state for the next one. The last step of the
 * prelude, except for the functions of an app.
 */
const GUEST_HARDEN: string = `
// Frozen prototypes would refuse ordinary writes to objects that inherit from them (this.name = ... in a class
// that extends Error, o.constructor = ... for a word count). An accessor that defines an own member allows them.
const OVERRIDABLE = new Set(['constructor', 'toString', 'toLocaleString', 'valueOf', 'toJSON', 'name', 'message']);

function allowOverride(owner, key, descriptor) {
  const { value, enumerable } = descriptor;
  Object.defineProperty(owner, key, {
    get: () => value,
    set(own) {
      if (this === owner) throw new TypeError("Cannot change '" + String(key) + "' of a built-in object");
      if (typeof this !== 'object' && typeof this !== 'function') return;
      Object.defineProperty(this, key, { value: own, writable: true, enumerable: true, configurable: true });
    },
    enumerable,
    configurable: true,
  });
}

function hardenOne(target, pending) {
  const isPrototype = Object.hasOwn(target, 'constructor');
  for (const key of Reflect.ownKeys(target)) {
    const descriptor = Object.getOwnPropertyDescriptor(target, key);
    pending.push(descriptor.value, descriptor.get, descriptor.set);
    const overridable = target === Object.prototype || (isPrototype && OVERRIDABLE.has(key));
    if (overridable && descriptor.configurable && descriptor.writable) allowOverride(target, key, descriptor);
  }
}

// Objects that are already frozen. These two are frozen after they contain the functions of an app.
const hardened = new Set([iml, environment]);

function harden(roots) {
  const found = [];
  const pending = [...roots];
  while (pending.length > 0) {
    const target = pending.pop();
    if ((typeof target !== 'object' && typeof target !== 'function') || target === null || hardened.has(target)) continue;
    hardened.add(target);
    found.push(target);
    pending.push(Object.getPrototypeOf(target));
    hardenOne(target, pending);
  }
  for (const target of found) if (target !== globalThis) Object.freeze(target);
}

// Intrinsics that only syntax or an iteration reaches.
const hidden = [
  function* () {},
  async function () {},
  async function* () {},
  (function* () {})(),
  (async function* () {})(),
  [][Symbol.iterator](),
  ''[Symbol.iterator](),
  new Map()[Symbol.iterator](),
  new Set()[Symbol.iterator](),
  'a'.matchAll(/a/g),
  Iterator.from({ next() {} }),
  [].values().map((item) => item),
  (function () {
    return arguments;
  })(),
];

harden([globalThis, ...hidden]);
for (const key of Reflect.ownKeys(globalThis)) {
  const descriptor = Object.getOwnPropertyDescriptor(globalThis, key);
  if (!descriptor.configurable) continue;
  Object.defineProperty(globalThis, key, { value: descriptor.value, writable: false, enumerable: descriptor.enumerable, configurable: false });
}

// The members of iml were frozen when they were added. Checking all of them again would block the host.
function hardenOffered() {
  Object.freeze(iml);
  hardened.delete(environment);
  harden([environment]);
  hardened.clear();
}

const globalNames = new Set(Reflect.ownKeys(globalThis));
let globalCount = globalNames.size;
`;

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
    // Null if there is no memory for an error.
    if (error === null || error instanceof InternalError) throw error;
    callHost('${HOST_DEBUG}', [stack, 'A value that cannot be shown: ' + String(error.message)]);
  }
};
const console = Object.fromEntries(${JSON.stringify(CONSOLE_METHODS)}.map((method) => [method, debug]));
Object.assign(globalThis, { iml, environment, Buffer, debug, console });
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

/** The host function behind `debug` and `console`. */
export const DEBUG_FUNCTION: string = HOST_DEBUG;

/** The host function behind `Math.random`; no function of IML can have its name. */
export const RANDOM_FUNCTION: string = HOST_RANDOM;
