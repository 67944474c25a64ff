import type { RunOutcome } from '../../scenario/state/scenario-state.js';
import type { PlainObject } from '../../util/plain-object.js';
import type { FlowOutput, FlowStepName } from './ports.js';

/** Why a call was not accepted. */
export type CallRefusal =
  /** 404: nothing is at the address. */
  | 'unknown-address'
  /** 410: the webhook is turned off. */
  | 'hook-off'
  /** The app refuses it: its `verification` answered, or the payload cannot be read. */
  | 'refused-by-app'
  /** 413: it is for so many that all of them together are more than is stored at a time. */
  | 'too-large'
  /** 429: too much waits for the webhook. */
  | 'queue-full'
  /** 503: the store does not take it now. */
  | 'store-failing'
  /** 503: many others wait to be stored, and have done so for long. */
  | 'busy'
  /** 503: processing the call took too long or too much memory, or another call of the app did. */
  | 'terminated'
  /** 500: a defect. */
  | 'defect';

/** A call that came to an address was stored. */
export interface CallAccepted {
  readonly kind: 'call-accepted';
  /** Names the call in logs; the events it became keep it. */
  readonly callId: string;
  /** Name of the hook, never its address. */
  readonly hook: string;
  /** Events it became: none where the app drops it, several where it goes to several recipients. */
  readonly eventIds: readonly number[];
  /** Bytes of the payload. */
  readonly bytes: number;
  readonly status: number;
  readonly durationMs: number;
}

/** A call was answered with why it was not accepted. */
export interface CallRefused {
  readonly kind: 'call-refused';
  readonly callId: string;
  /** Undefined where nothing is at the address. */
  readonly hook: string | undefined;
  readonly reason: CallRefusal;
  readonly status: number;
  /** What it failed with, as safe JSON. */
  readonly error: PlainObject | undefined;
  readonly durationMs: number;
}

/** What a run worked on. */
export type RunSource =
  | {
      readonly kind: 'event';
      readonly eventId: number;
      readonly hookId: number;
      readonly callId: string | undefined;
    }
  | { readonly kind: 'poll' }
  | { readonly kind: 'incomplete'; readonly incompleteId: number };

/** A run has begun. */
export interface RunStarted {
  readonly kind: 'run-started';
  readonly runId: string;
  readonly scenario: string;
  readonly source: RunSource;
  /** How often it has begun without that anybody saw the end, this time included. */
  readonly attempt: number;
  /** How long what it works on has waited since it was due. */
  readonly waitedMs: number;
}

/** A run is over, and what follows from it is stored. */
export interface RunFinished {
  readonly kind: 'run-finished';
  readonly runId: string;
  readonly scenario: string;
  readonly source: RunSource;
  readonly outcome: RunOutcome['kind'];
  /**
   * What became of what it worked on: `done`; `dead`, which waits for a person; `again`, which is tried again; `stopped`
   * by the end of the process, which is tried again as well.
   */
  readonly becomes: 'done' | 'dead' | 'again' | 'stopped';
  /** Incomplete executions it left. */
  readonly incompletes: number;
  /** What came out, and where it ended if nothing did; undefined where that is not known. */
  readonly output?: FlowOutput | undefined;
  /** What it ended with, as safe JSON; undefined where it went well. */
  readonly error: PlainObject | undefined;
  /** The step whose module failed. */
  readonly failedAt?: FlowStepName | undefined;
  readonly durationMs: number;
}

/** A scenario starts nothing until a time, or only its usual runs. */
export interface ScenarioSuspended {
  readonly kind: 'scenario-suspended';
  readonly scenario: string;
  readonly state: 'delayed' | 'backoff';
  readonly untilMs: number;
  readonly error: PlainObject | undefined;
}

/** A scenario went off by itself. */
export interface ScenarioOff {
  readonly kind: 'scenario-off';
  readonly scenario: string;
  readonly reason: string;
  readonly error: PlainObject | undefined;
}

/**
 * Something was given up, as each process that worked on it ended: the event is dead, the incomplete execution waits for
 * a person. Of a poll it is told that its scenario went off.
 */
export interface WorkGivenUp {
  readonly kind: 'given-up';
  readonly scenario: string;
  readonly source: Exclude<RunSource, { readonly kind: 'poll' }>;
  /** How often it was begun. */
  readonly attempts: number;
  readonly error: PlainObject;
}

/** What nobody else is told: a store that does not answer, a defect. The host goes on. */
export interface HostProblem {
  readonly kind: 'problem';
  readonly error: unknown;
}

/** Something that happened in a host. `kind` says what; further kinds may come. */
export type HostNotice =
  | CallAccepted
  | CallRefused
  | RunStarted
  | RunFinished
  | ScenarioSuspended
  | ScenarioOff
  | WorkGivenUp
  | HostProblem;

/**
 * Gets all that happens in a host, in order: the one port for logs, metrics and notifications. Texts in it are free of
 * known secrets, and no address of a hook is in it. It must not block; what it throws is dropped.
 */
export type HostObserver = (notice: HostNotice) => void;

/** An observer that tells several ones; none of them can keep another from being told, nor the host from its work. */
export function tellAll(...observers: readonly (HostObserver | undefined)[]): HostObserver {
  const known = observers.filter((observer) => observer !== undefined);
  return (notice) => {
    for (const observer of known) {
      try {
        observer(notice);
      } catch {
        // An observer has nobody to complain to.
      }
    }
  };
}
