/**
 * Guest side of a call: finds the author's function, runs it, describes what it returns or throws, and says
 * whether it left anything behind. Part of the prelude; `host` and `hostBytes` are its parameters.
 */
export const GUEST_DISPATCH: string = `
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

// Reading what was thrown may run the author's getters; they may throw in turn.
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
