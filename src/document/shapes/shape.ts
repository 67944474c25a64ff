/** The kinds of JSON values a key may hold. `null` is allowed everywhere: it stands for "not given". */
export type JsonType = 'string' | 'number' | 'boolean' | 'object' | 'array';

/** What is known of the value under one key of a spec. */
export interface KeyShape {
  /** undefined: anything. A key that takes IML takes a string too. */
  readonly types?: readonly JsonType[];
  /** What the members are when the value is an object; without one they are free. */
  readonly shape?: Shape;
  /** Whether an array holds objects of that shape. */
  readonly each?: boolean;
  /** Whether such an array may hold texts besides, as addresses of RPCs stand among fields. */
  readonly orTexts?: boolean;
  /** What the key does, in a sentence or two, as editors show it. */
  readonly about?: string;
  /** Texts it is known to take, for editors to offer; others may come of an expression. */
  readonly words?: readonly string[];
}

/** A closed object of a spec. */
export interface Shape {
  /** As a message names it: `a request`. */
  readonly title: string;
  readonly keys: Readonly<Record<string, KeyShape>>;
  /** Keys that follow a pattern, such as status codes. */
  readonly pattern?: { readonly key: RegExp; readonly rule: KeyShape };
  /** Whether other keys are let through, as forms on the platform know keys that matter on screen only. Default: false. */
  readonly isOpen?: boolean;
  /** Keys an object cannot do without. Default: none. */
  readonly required?: readonly string[];
}

type Types = Pick<KeyShape, 'types'>;

export const ANYTHING: KeyShape = {};
export const TEXT: Types = { types: ['string', 'number'] };
export const FLAG: Types = { types: ['boolean', 'string'] };
export const NUMBER: Types = { types: ['number', 'string'] };
/** Free-form members; IML that gives the whole object is common: `"headers": "{{...}}"`. [app] */
export const FREE_OBJECT: Types = { types: ['object', 'string'] };

/** A rule with what editors show of it. */
export function described(about: string, rule: KeyShape = ANYTHING, words?: readonly string[]): KeyShape {
  return { ...rule, about, ...(words && { words }) };
}

/** An object of a shape. */
export function only(shape: Shape): KeyShape {
  return { types: ['object'], shape };
}

/** An object of a shape, or a plain value that stands for it. */
export function scalarOr(shape: Shape, ...types: JsonType[]): KeyShape {
  return { types: [...types, 'object'], shape };
}

/** A list of objects of a shape. */
export function listOf(shape: Shape): KeyShape {
  return { types: ['array'], shape, each: true };
}
