/**
 * Makes everything that calls share unchangeable, so that one call cannot leave anything for the next.
 * Part of the prelude; the last thing it does, but for what an app is offered.
 */
export const GUEST_HARDEN: string = `
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

// What is hard already; these two are, once they hold what an app is offered.
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

// The members of iml were made hard as they were offered: to look through all of them once more would hold up the host.
function hardenOffered() {
  Object.freeze(iml);
  hardened.delete(environment);
  harden([environment]);
  hardened.clear();
}

const globalNames = new Set(Reflect.ownKeys(globalThis));
let globalCount = globalNames.size;
`;
