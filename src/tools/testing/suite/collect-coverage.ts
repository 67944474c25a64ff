import type { App } from '../../../engine/document/app.js';
import type { Document } from '../../../engine/document/document.js';
import type { RunObserver } from '../../../engine/run/engine-settings.js';
import { type CountedPoint, componentKey, listPoints, pointKey } from './coverage-points.js';

/** Records which parts of an app its cases reach. */
export interface CoverageCollector {
  readonly observer: RunObserver;
  /** Called with the component of a case: `module:listOrders`. */
  readonly onComponent: (component: string) => void;
  /** All points of the app in file order. */
  readonly points: () => readonly CountedPoint[];
}

/** Starts collecting coverage of an app. */
export function collectCoverage(app: App): CoverageCollector {
  const counts = new Map<string, number>();
  const count = (key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
  const keysOf = createKeyCache();
  return {
    observer: {
      onDirective: (document, pointer) => {
        if (document === undefined) return;
        for (const key of keysOf(document, pointer)) count(key);
      },
      onDecision: (document, pointer, isYes, offset) => {
        if (document === undefined) return;
        const [own] = keysOf(document, pointer);
        if (own !== undefined) count(`${own}@${offset ?? ''}:${isYes}`);
      },
    },
    onComponent: (component) => {
      const [kind, ...name] = component.split(':');
      const known = (['module', 'rpc', 'endpoint', 'connection', 'webhook'] as const).find(
        (type) => type === kind,
      );
      if (known !== undefined) count(componentKey(known, name.join(':')));
    },
    points: () => listPoints(app).map(({ key, ...point }) => ({ ...point, count: counts.get(key) ?? 0 })),
  };
}

/**
 * The keys of a directive and of its parents, the directive first. Cached per document, because finding a location
 * reads the file.
 */
function createKeyCache(): (document: Document, pointer: string) => readonly string[] {
  const known = new WeakMap<Document, Map<string, readonly string[]>>();
  return (document, pointer) => {
    const ofDocument = known.get(document) ?? new Map<string, readonly string[]>();
    known.set(document, ofDocument);
    const keys = ofDocument.get(pointer) ?? findKeys(document, pointer);
    ofDocument.set(pointer, keys);
    return keys;
  };
}

function findKeys(document: Document, pointer: string): readonly string[] {
  const { file, pointer: written = pointer } = document.locationOf(pointer);
  const keys: string[] = [];
  for (let end = written.length; end > 0; end = written.lastIndexOf('/', end - 1)) {
    keys.push(pointKey({ file, pointer: written.slice(0, end) }));
  }
  return keys;
}
