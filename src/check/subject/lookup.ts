import type { Subject } from './subject.js';

/**
 * Makes a way to look something up once for each app and key, as many expressions ask the same. What is kept goes with the
 * app it is about.
 */
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
