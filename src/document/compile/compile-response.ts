import { childPointer } from '../../errors/place.js';
import type { Parts } from '../../iml/values/work.js';
import { isPlainObject, ownMember } from '../../util/plain-object.js';
import { compileDirective, type DirectiveContext, DirectiveReader } from './compile-directive.js';
import type {
  CompiledError,
  CompiledIterate,
  CompiledResponse,
  CompiledTrigger,
  CompiledValid,
  ErrorEntry,
} from './compiled-request.js';

/**
 * Makes a response spec ready. Anything that is no object counts as empty.
 * @see https://developers.make.com/custom-apps-documentation/component-blocks/api/handling-responses
 */
export function* compileResponse(value: unknown, context: DirectiveContext): Parts<CompiledResponse> {
  const response = isPlainObject(value) ? value : {};
  const read = new DirectiveReader(response, '/response', context);
  return {
    type: yield* read.read('type'),
    temp: yield* read.read('temp'),
    valid: yield* compileValid(ownMember(response, 'valid'), context),
    error: yield* compileError(ownMember(response, 'error'), context),
    iterate: yield* compileIterate(response, '/response', context),
    output: yield* read.read('output'),
    wrapper: yield* read.read('wrapper'),
    limit: yield* read.read('limit'),
    trigger: yield* compileTrigger(ownMember(response, 'trigger'), context),
    data: yield* read.read('data'),
    metadata: yield* read.read('metadata'),
    uid: yield* read.read('uid'),
    expires: yield* read.read('expires'),
  };
}

function* compileValid(value: unknown, context: DirectiveContext): Parts<CompiledValid | undefined> {
  const pointer = '/response/valid';
  if (value === undefined) return undefined;
  if (!isPlainObject(value)) {
    return {
      condition: yield* compileDirective(value, pointer, context),
      message: undefined,
      type: undefined,
      pointer,
    };
  }
  const read = new DirectiveReader(value, pointer, context);
  return {
    condition: yield* read.read('condition'),
    message: yield* read.read('message'),
    type: yield* read.read('type'),
    pointer,
  };
}

const STATUS = /^\d{3}$/;

function* compileError(value: unknown, context: DirectiveContext): Parts<CompiledError | undefined> {
  if (value === undefined || value === null) return undefined;
  const pointer = '/response/error';
  const entries = new Map<string, ErrorEntry>();
  if (isPlainObject(value)) {
    for (const status of Object.keys(value).filter((key) => STATUS.test(key))) {
      entries.set(status, yield* compileErrorEntry(value[status], childPointer(pointer, status), context));
    }
  }
  return { ...(yield* compileErrorEntry(value, pointer, context)), entries };
}

function* compileErrorEntry(value: unknown, pointer: string, context: DirectiveContext): Parts<ErrorEntry> {
  if (!isPlainObject(value))
    return { message: yield* compileDirective(value, pointer, context), type: undefined, pointer };
  const read = new DirectiveReader(value, pointer, context);
  return { message: yield* read.read('message'), type: yield* read.read('type'), pointer };
}

/** `iterate` as text, bare path, or container and condition; of a response or of a webhook. */
export function* compileIterate(
  parent: Readonly<Record<string, unknown>>,
  parentPointer: string,
  context: DirectiveContext,
): Parts<CompiledIterate | undefined> {
  const iterate = ownMember(parent, 'iterate');
  if (iterate === null || iterate === '') return undefined;
  if (!isPlainObject(iterate)) {
    const container = yield* new DirectiveReader(parent, parentPointer, context).readPath('iterate');
    return container && { container, condition: undefined };
  }
  const read = new DirectiveReader(iterate, `${parentPointer}/iterate`, context);
  const container = yield* read.readPath('container');
  return container && { container, condition: yield* read.read('condition') };
}

function* compileTrigger(value: unknown, context: DirectiveContext): Parts<CompiledTrigger | undefined> {
  if (!isPlainObject(value)) return undefined;
  const read = new DirectiveReader(value, '/response/trigger', context);
  return {
    type: yield* read.read('type'),
    order: yield* read.read('order'),
    id: yield* read.read('id'),
    date: yield* read.read('date'),
  };
}
