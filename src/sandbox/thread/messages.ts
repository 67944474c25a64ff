import type { MessagePort } from 'node:worker_threads';
import type { DebugOutput, DigestAlgorithm } from '../../iml/environment/environment.js';
import type { SandboxFunction, SandboxWarning } from '../sandbox.js';
import type { SandboxLimits } from '../sandbox-limits.js';
import type { CarriedError } from './carried-error.js';
import type { Piece } from './carry.js';

/** What a thread is started with. */
export interface ThreadData extends ThreadPorts {
  readonly functions: readonly SandboxFunction[];
  readonly environment: Readonly<Record<string, unknown>>;
  readonly limits: SandboxLimits;
}

export interface ThreadPorts {
  /** Where it asks what only its caller knows, and waits for the answer. */
  readonly questions: MessagePort;
  /** One number, which is 1 once the answer is there. */
  readonly answered: Int32Array;
  /** Where it leaves what calls say and give, for the caller to take a piece at a time. */
  readonly results: MessagePort;
}

/** What of its environment a call takes along; the rest it asks for. */
export interface CarriedEnvironment {
  readonly timezone: string;
  readonly equality: 'strict' | 'loose';
  readonly platformVersion: 1 | 2;
  /** Chance that is drawn before any other. */
  readonly drawn: readonly number[];
  /** Whether it may be drawn anywhere. */
  readonly drawsAnywhere: boolean;
  /** Whether digests are those of Node. */
  readonly hasNodeDigest: boolean;
  readonly hasDebug: boolean;
}

/** The arguments of a call, piece by piece, then the call. */
export type ToThread =
  | { readonly kind: 'piece'; readonly piece: Piece }
  | { readonly kind: 'call'; readonly index: number; readonly environment: CarriedEnvironment };

export interface ThreadReady {
  readonly kind: 'ready';
  readonly warnings: readonly SandboxWarning[];
}

export interface CallDone {
  readonly kind: 'done';
  /** How many pieces of its outcomes are left for the caller. */
  readonly pieces: number;
  readonly tookMs: number;
}

export type FromThread = ThreadReady | CallDone;

/** What a call leaves for its caller: what `debug` said, then how it ended. */
export type CallOutcome =
  | { readonly debug: DebugOutput }
  | { readonly value: unknown }
  | { readonly error: CarriedError };

/** What a thread asks its caller. */
export type ThreadQuestion =
  | { readonly name: 'now' | 'random' }
  | {
      readonly name: 'digest';
      readonly algorithm: DigestAlgorithm;
      readonly data: Uint8Array;
      readonly key: Uint8Array | undefined;
    };

export type ThreadAnswer = { readonly value: unknown } | { readonly error: CarriedError };
