import { childPointer } from '../../shared/errors/source-location.js';
import { isPlainObject, ownMember, type PlainObject, setMember } from '../../shared/plain-object.js';
import type { Document } from './document.js';

/** How a key of the base is merged with the same key of a component. */
type MergeRule = 'deep' | 'shallow' | 'union' | 'component';

/**
 * Source: https://developers.make.com/custom-apps-documentation/app-components/base. `url` is not inherited: a
 * component without it is static. [inf] `headers` and `qs` are absent: both sides are evaluated separately and then
 * merged by name, as either may be an expression.
 */
const RULES: Readonly<Record<string, MergeRule>> = {
  baseUrl: 'component',
  encodeUrl: 'component',
  method: 'component',
  type: 'component',
  ca: 'component',
  gzip: 'component',
  timeout: 'component',
  followRedirects: 'component',
  followAllRedirects: 'component',
  condition: 'component',
  pagination: 'component',
  body: 'deep',
  temp: 'deep',
  response: 'deep',
  oauth: 'shallow',
  aws: 'shallow',
  log: 'union',
};

/**
 * Merge rules of an epoch over its trigger's communication. Adds the keys that make it a request of its own. Merges
 * headers and qs here, as the base comes one layer below. Source:
 * https://developers.make.com/custom-apps-documentation/component-blocks/epoch. [doc]
 */
const EPOCH_RULES: Readonly<Record<string, MergeRule>> = {
  ...RULES,
  url: 'component',
  headers: 'shallow',
  qs: 'shallow',
  repeat: 'component',
  endpoint: 'component',
  input: 'shallow',
};

const { body: _, ...RULES_OF_DELETE } = RULES;

/** Called with the number of names of a merged object before it is created. Throws to prevent it. */
export type CountMerged = (names: number) => void;

/** Merges the base into a request spec. Locations refer to the file that contains each part. */
export function mergeWithBase(
  base: Document | undefined,
  component: Document,
  countMerged?: CountMerged,
): Document {
  if (base === undefined) return component;
  return mergeDocuments(base, component, isDelete(base, component) ? RULES_OF_DELETE : RULES, countMerged);
}

/**
 * The body of the base is the default for POST, PUT and PATCH; GET sends no body. A method from an expression is
 * unknown at this point. Source: https://developers.make.com/custom-apps-documentation/app-components/base. [doc][inf]
 */
function isDelete({ value: base }: Document, { value: component }: Document): boolean {
  const readMethod = (value: unknown) => (isPlainObject(value) ? ownMember(value, 'method') : undefined);
  const method = readMethod(component) ?? readMethod(base);
  return typeof method === 'string' && method.trim().toUpperCase() === 'DELETE';
}

/** Merges an epoch over the trigger's request. The base is not merged yet. */
export function mergeEpoch(communication: Document, epoch: Document): Document {
  return mergeDocuments(communication, epoch, EPOCH_RULES);
}

function mergeDocuments(
  base: Document,
  component: Document,
  rules: Readonly<Record<string, MergeRule>>,
  countMerged: CountMerged = () => {},
): Document {
  if (!isPlainObject(base.value) || !isPlainObject(component.value)) return component;
  const merger = new Merger(base, component, countMerged);
  return {
    value: merger.merge(base.value, component.value, rules),
    file: component.file,
    locationOf: (pointer, offset, part) => {
      const origin = merger.originOf(pointer);
      return origin.document.locationOf(origin.pointer, offset, part);
    },
  };
}

/**
 * Pointers below this one refer to the base, whose `headers` and `qs` are used without being part of the merged
 * object.
 */
export const BASE_POINTER = '/base';

/** Merges two specs and records which parts come from the base unchanged. Everything else belongs to the component. */
class Merger {
  private readonly base: Document;
  private readonly component: Document;
  private readonly fromBase = new Set<string>();
  private readonly countMerged: CountMerged;

  constructor(base: Document, component: Document, countMerged: CountMerged) {
    this.base = base;
    this.component = component;
    this.countMerged = countMerged;
  }

  originOf(pointer: string): { readonly document: Document; readonly pointer: string } {
    if (pointer.startsWith(`${BASE_POINTER}/`)) {
      return { document: this.base, pointer: pointer.slice(BASE_POINTER.length) };
    }
    for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1)) {
      if (this.fromBase.has(pointer.slice(0, end))) return { document: this.base, pointer };
    }
    return { document: this.component, pointer };
  }

  merge(base: PlainObject, component: PlainObject, rules: Readonly<Record<string, MergeRule>>): PlainObject {
    const merged: PlainObject = { ...component };
    for (const [key, rule] of Object.entries(rules)) {
      const inherited = ownMember(base, key);
      if (inherited === undefined) continue;
      merged[key] = this.mergeKey(inherited, ownMember(component, key), rule, childPointer('', key));
    }
    return merged;
  }

  private mergeKey(base: unknown, component: unknown, rule: MergeRule, pointer: string): unknown {
    if (component === undefined) {
      this.fromBase.add(pointer);
      return base;
    }
    if (!isPlainObject(base) || !isPlainObject(component) || rule === 'component') return component;
    return rule === 'union'
      ? this.mergeLog(base, component)
      : this.mergeObjects(base, component, rule, pointer);
  }

  private mergeObjects(
    base: PlainObject,
    component: PlainObject,
    rule: MergeRule,
    pointer: string,
  ): PlainObject {
    const merged: PlainObject = {};
    const names = new Set([...Object.keys(base), ...Object.keys(component)]);
    this.countMerged(names.size);
    for (const key of names) {
      const inner = rule === 'deep' ? 'deep' : 'component';
      const own = ownMember(component, key);
      const inherited = ownMember(base, key);
      const value =
        inherited === undefined ? own : this.mergeKey(inherited, own, inner, childPointer(pointer, key));
      setMember(merged, key, value);
    }
    return merged;
  }

  /** `log.sanitize` redacts the paths of both sides. */
  private mergeLog(base: PlainObject, component: PlainObject): PlainObject {
    const lists = [ownMember(base, 'sanitize'), ownMember(component, 'sanitize')];
    for (const list of lists) if (Array.isArray(list)) this.countMerged(list.length);
    const paths = lists.flat();
    return { ...base, ...component, sanitize: paths.filter((path) => typeof path === 'string') };
  }
}
