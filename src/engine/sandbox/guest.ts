import type { QuickJSContext, QuickJSHandle, VmCallResult } from 'quickjs-emscripten-core';
import { EngineError } from '../../shared/errors/engine-error.js';
import { type Encoded, encodeValue } from './codec.js';
import { GUEST_PRELUDE } from './guest/prelude.js';
import type { Machine } from './machine.js';

/** Answers a call of the guest: a name of a built-in and its encoded arguments in, an encoded value or `E` and a problem out. */
export type HostCall = (name: string, text: string, bytes: Uint8Array | undefined) => Encoded;

export interface GuestOptions {
  readonly builtins: readonly string[];
  readonly functions: readonly string[];
  readonly environment: Readonly<Record<string, unknown>>;
  readonly host: HostCall;
  readonly maxTransfer: number;
}

/** The guest's side of the border. Its methods may trap. */
export interface Guest {
  /** Runs `code`, an expression for a function, and makes it function number `index`. */
  readonly define: (index: number, code: string, fileName: string) => GuestFault | undefined;
  /** Defines function `index` so that it throws `message`. */
  readonly defineBroken: (index: number, message: string) => void;
  /** Whether `code` is a script by itself. */
  readonly check: (code: string, fileName: string) => GuestFault | undefined;
  readonly dispatch: (call: Encoded) => { readonly reply: string } | GuestFault;
  /** The bytes of the last reply. */
  readonly takeBytes: () => Uint8Array;
}

/** An exception of QuickJS, with its readable parts. */
export interface GuestFault {
  readonly message: string;
  readonly stack: string;
}

/** Starts the guest of a new machine and passes the available names. */
export function createGuest(machine: Machine, options: GuestOptions): Guest {
  const { context } = machine;
  const border = runPrelude(machine, options.host);
  offer(context, border, options);
  const dispatch = context.getProp(border, 'dispatch');
  const takeBytes = context.getProp(border, 'takeBytes');
  const define = context.getProp(border, 'define');
  const defineAs = (index: number, factory: QuickJSHandle): undefined => {
    unwrap(
      context,
      context.callFunction(define, context.undefined, context.newNumber(index), factory),
    ).dispose();
    factory.dispose();
  };
  return {
    check: (code, fileName) => {
      const result = context.evalCode(code, fileName, { compileOnly: true });
      if (result.error) return readFault(context, result.error);
      result.value.dispose();
      return undefined;
    },
    define: (index, code, fileName) => {
      const result = context.evalCode(code, fileName);
      return result.error ? readFault(context, result.error) : defineAs(index, result.value);
    },
    defineBroken: (index, message) => {
      defineAs(index, context.newString(message));
    },
    dispatch: (call) => {
      const handles = toHandles(context, call);
      const result = context.callFunction(dispatch, context.undefined, handles);
      for (const handle of handles) handle.dispose();
      if (result.error) return readFault(context, result.error);
      const reply = context.getString(result.value);
      result.value.dispose();
      return { reply };
    },
    takeBytes: () => {
      const handle = unwrap(context, context.callFunction(takeBytes, context.undefined));
      const bytes = readBytes(context, handle);
      handle.dispose();
      return bytes;
    },
  };
}

/** Runs the prelude in a new machine, or restores its image. @returns the guest's side of the border */
export function runPrelude(machine: Machine, host: HostCall): QuickJSHandle {
  const { context } = machine;
  const doors = openDoors(machine, host);
  return machine.start(() => {
    const prelude = unwrap(context, context.evalCode(GUEST_PRELUDE, 'prelude'));
    return unwrap(context, context.callFunction(prelude, context.undefined, ...doors));
  });
}

/** The arguments of the prelude: two functions that accept text and bytes only. */
function openDoors({ context }: Machine, host: HostCall): QuickJSHandle[] {
  let pending: Uint8Array | undefined;
  const call = context.newFunction('host', (name, text, bytes) => {
    const given = bytes && context.typeof(bytes) === 'object' ? readBytes(context, bytes) : undefined;
    const reply = host(context.getString(name), context.getString(text), given);
    pending = reply.bytes;
    return context.newString(reply.text);
  });
  const hostBytes = context.newFunction('hostBytes', () => {
    const bytes = pending ?? new Uint8Array(0);
    pending = undefined;
    return context.newArrayBuffer(copyBuffer(bytes));
  });
  return [call, hostBytes];
}

/** Passes the available names to `offer` and `closeOffer` of the guest. */
function offer(context: QuickJSContext, border: QuickJSHandle, options: GuestOptions): void {
  const tell = (name: string, offered: unknown): void => {
    const text = context.newString(JSON.stringify(offered));
    const door = context.getProp(border, name);
    unwrap(context, context.callFunction(door, context.undefined, text)).dispose();
    for (const handle of [text, door]) handle.dispose();
  };
  for (const kind of ['builtins', 'functions'] as const)
    tell('offer', { kind, from: 0, names: options[kind] });
  tell('closeOffer', {
    environment: encodeValue(options.environment, options.maxTransfer).text,
    maxParts: Math.floor(options.maxTransfer / 2),
  });
}

function toHandles(context: QuickJSContext, { text, bytes }: Encoded): QuickJSHandle[] {
  const handle = context.newString(text);
  return bytes === undefined ? [handle] : [handle, context.newArrayBuffer(copyBuffer(bytes))];
}

function copyBuffer(bytes: Uint8Array): ArrayBuffer {
  return new Uint8Array(bytes).buffer;
}

function readBytes(context: QuickJSContext, handle: QuickJSHandle): Uint8Array {
  return context.getArrayBuffer(handle).consume((lifetime) => lifetime.value.slice());
}

function unwrap(context: QuickJSContext, result: VmCallResult<QuickJSHandle>): QuickJSHandle {
  if (!result.error) return result.value;
  const { message } = readFault(context, result.error);
  throw new EngineError('IML_LIMIT', `The sandbox for custom functions cannot be set up: ${message}`);
}

/** An exception that reached the host was made by QuickJS itself: the prelude catches all others. */
function readFault(context: QuickJSContext, error: QuickJSHandle): GuestFault {
  // QuickJS throws null if no error fits into the memory.
  if (context.sameValue(error, context.null)) return { message: 'out of memory', stack: '' };
  const read = (name: string): string =>
    context.getProp(error, name).consume((handle) => context.getString(handle));
  const fault = { message: read('message').slice(0, 2000), stack: read('stack').slice(0, 4000) };
  error.dispose();
  return fault;
}
