import { childPointer } from '../../errors/source-location.js';
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
export function compileResponse(
  value: unknown,
  context: DirectiveContext,
  outerError?: unknown,
): CompiledResponse {
  const response = isPlainObject(value) ? value : {};
  const read = new DirectiveReader(response, '/response', context);
  return {
    type: read.read('type'),
    temp: read.read('temp'),
    valid: compileValid(ownMember(response, 'valid'), context),
    error: compileError(ownMember(response, 'error'), '/response/error', context),
    outerError: compileError(outerError, '/error', context),
    unwrap: read.read('unwrap'),
    iterate: compileIterate(response, '/response', context),
    output: read.read('output'),
    wrapper: read.read('wrapper'),
    limit: read.read('limit'),
    trigger: compileTrigger(ownMember(response, 'trigger'), context),
    data: read.read('data'),
    metadata: read.read('metadata'),
    uid: read.read('uid'),
    expires: read.read('expires'),
  };
}

function compileValid(value: unknown, context: DirectiveContext): CompiledValid | undefined {
  const pointer = '/response/valid';
  if (value === undefined) return undefined;
  if (!isPlainObject(value)) {
    return {
      condition: compileDirective(value, pointer, context),
      message: undefined,
      type: undefined,
      pointer,
    };
  }
  const read = new DirectiveReader(value, pointer, context);
  return {
    condition: read.read('condition'),
    message: read.read('message'),
    type: read.read('type'),
    pointer,
  };
}

const STATUS = /^\d{3}$/;

function compileError(value: unknown, pointer: string, context: DirectiveContext): CompiledError | undefined {
  if (value === undefined || value === null) return undefined;
  const entries = new Map<string, ErrorEntry>();
  if (isPlainObject(value)) {
    for (const status of Object.keys(value).filter((key) => STATUS.test(key))) {
      entries.set(status, compileErrorEntry(value[status], childPointer(pointer, status), context));
    }
  }
  return { ...compileErrorEntry(value, pointer, context), entries };
}

function compileErrorEntry(value: unknown, pointer: string, context: DirectiveContext): ErrorEntry {
  if (!isPlainObject(value))
    return { message: compileDirective(value, pointer, context), type: undefined, pointer };
  const read = new DirectiveReader(value, pointer, context);
  return { message: read.read('message'), type: read.read('type'), pointer };
}

/** `iterate` as text, bare path, or container and condition; of a response or of a webhook. */
export function compileIterate(
  parent: Readonly<Record<string, unknown>>,
  parentPointer: string,
  context: DirectiveContext,
): CompiledIterate | undefined {
  const iterate = ownMember(parent, 'iterate');
  if (iterate === null || iterate === '') return undefined;
  if (!isPlainObject(iterate)) {
    const container = new DirectiveReader(parent, parentPointer, context).readPath('iterate');
    return container && { container, condition: undefined };
  }
  const read = new DirectiveReader(iterate, `${parentPointer}/iterate`, context);
  const container = read.readPath('container');
  return container && { container, condition: read.read('condition') };
}

function compileTrigger(value: unknown, context: DirectiveContext): CompiledTrigger | undefined {
  if (!isPlainObject(value)) return undefined;
  const read = new DirectiveReader(value, '/response/trigger', context);
  return {
    type: read.read('type'),
    order: read.read('order'),
    id: read.read('id'),
    date: read.read('date'),
  };
}
