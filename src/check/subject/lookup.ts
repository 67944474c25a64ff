import type { Subject } from './subject.js';

/** Memoizes a lookup per app and key. */
export function createLookup<T>(): (subject: Subject, key: string, find: () => T) => T {
  const known = new WeakMap<Subject, Map<string, T>>();
  return (subject, key, find) => {
    const ofApp = known.get(subject) ?? new Map<string, T>();
    known.set(subject, ofApp);
    const found = ofApp.get(key) ?? find();
    ofApp.set(key, found);
    return found;
  };
}
