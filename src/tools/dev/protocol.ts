import type { StopReason, TraceEvent } from '../../engine/run/trace.js';
import type { TracedDocument, TracedTest } from '../testing/suite/traced-test.js';

/** Reference to a long value: `GET /api/bodies/<ref>`. */
export interface BodyRef {
  /** Hash of the value. */
  readonly ref: string;
  /** Length of its text. */
  readonly size: number;
}

type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { readonly kind: Kind }>;

/** A trace event with references instead of bodies. `seq` numbers the events of a run from 0. */
export type PackedEvent = { readonly seq: number } & (
  | Exclude<TraceEvent, { readonly kind: 'request' | 'response' | 'scope' | 'page' }>
  | (Omit<EventOf<'request'>, 'body'> & { readonly body: BodyRef | undefined })
  | (Omit<EventOf<'response'>, 'body'> & { readonly body: BodyRef | undefined })
  | (Omit<EventOf<'scope'>, 'names'> & { readonly names: Readonly<Record<string, BodyRef>> })
  | (Omit<EventOf<'page'>, 'outputs'> & { readonly outputs: BodyRef; readonly count: number })
);

/** Component type of a run. */
export type RunKind = 'module' | 'rpc' | 'endpoint' | 'webhook' | 'connection' | 'epoch';

/** Source of a run: the page, an incoming call, a saved file, a trace, a test. */
export type RunOrigin = 'run' | 'call' | 'replay' | 'file' | 'test';

export type RunState = 'running' | 'ok' | 'failed' | 'stopped';

/** A run without bodies, for lists. */
export interface RunSummary {
  readonly id: string;
  readonly app: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly source: RunOrigin;
  /** The step of a component, if it is no run of a module, RPC or endpoint and no call. */
  readonly step?: StepRequest['step'] | undefined;
  readonly state: RunState;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly requests: number;
  readonly followUpPages: number;
  readonly records: number;
  readonly bundles: number;
  readonly warnings: number;
  readonly stopReason: StopReason | undefined;
  readonly error: { readonly type: string; readonly message: string } | undefined;
  /** Number of events so far. */
  readonly events: number;
  /** The case of `iml test`, if any. */
  readonly test?: Pick<TracedTest, 'name' | 'file' | 'status'> | undefined;
}

export interface ShownWarning {
  readonly code: string;
  readonly message: string;
  readonly place: ShownPlace | undefined;
}

export interface ShownPlace {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly pointer?: string | undefined;
}

/** A run without its events. */
export interface RunDetail extends RunSummary {
  readonly limits: {
    readonly requests: number | undefined;
    readonly followUpPages: number | undefined;
    readonly records: number | undefined;
    readonly timeMs: number | undefined;
  };
  /** The input, redacted. */
  readonly input: RunValues;
  /** The run whose responses were used. */
  readonly replayOf: string | undefined;
  readonly documents: readonly (Pick<TracedDocument, 'role' | 'file'> & { readonly ref: string })[];
  readonly failure: ShownFailure | undefined;
  readonly allWarnings: readonly ShownWarning[];
  readonly bundleList: BodyRef | undefined;
  /** Whether its responses are stored, so that it can be replayed and saved as a test. */
  readonly canReplay: boolean;
  /** The webhook call, if any. */
  readonly hook?: ShownHookCall | undefined;
  /** The test result, if any. */
  readonly testRun?: TracedTest | undefined;
}

/** An error as the command prints it. */
export interface ShownFailure {
  readonly type: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly status: number | undefined;
  readonly requestIndex: number | undefined;
  readonly page: number | undefined;
  readonly place: ShownPlace | undefined;
  readonly suberrors: readonly string[];
  readonly hint: string | undefined;
  /** The line of the app with a caret. */
  readonly frame: string | undefined;
}

/** Input of a run. */
export interface RunValues {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Name of a stored connection. */
  readonly connection?: string | undefined;
  /** Maximum number of bundles. */
  readonly limit?: number | undefined;
  /** Whether to fill empty fields with their defaults. */
  readonly defaults?: boolean | undefined;
  /** Polling trigger: all items, or new ones since its last run here. Default: without state. */
  readonly start?: 'all' | 'saved' | undefined;
  /** Polling trigger: the state of an epoch entry. */
  readonly state?: unknown;
  /** Payload of an instant trigger. */
  readonly payload?: unknown;
}

/** A request to run a component. */
export interface RunRequest extends RunValues {
  readonly kind: 'module' | 'rpc' | 'endpoint';
  readonly name: string;
  /** Run whose responses are used, up to `fromPage` if set. */
  readonly replayOf?: string | undefined;
  /** Run that the form comes from: redacted values are read from it. */
  readonly again?: string | undefined;
  /** Sends requests from this page on. */
  readonly fromPage?: number | undefined;
}

/** A request for a form with its values. */
export interface FormRequest extends Pick<RunValues, 'parameters' | 'connection' | 'defaults'> {
  readonly kind: 'module' | 'rpc' | 'endpoint' | 'webhook' | 'connection';
  readonly name: string;
}

/** A step of a component other than a run. */
export interface StepRequest {
  readonly step: 'epoch' | 'attach' | 'detach' | 'connect' | 'test';
  /** A module (`epoch`), a webhook (`attach`, `detach`) or a connection (`connect`, `test`). */
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The stored connection to use or to test. */
  readonly connection?: string | undefined;
  /** `connect`: name of the stored connection. */
  readonly as?: string | undefined;
}

/** Outcome of a step: a run of the history, and the entries of an epoch. */
export interface StepOutcome {
  readonly id: string;
  /** `connect`: page of the API to open. The run ends with its redirect. */
  readonly open?: string | undefined;
  readonly entries?: readonly {
    readonly label: string;
    readonly date: string | undefined;
    /** Value for `state` of a run. */
    readonly state: unknown;
  }[];
}

/** An attached webhook: `id`, `url` and the result of attach, redacted. */
export interface ShownHook {
  readonly webhook: unknown;
}

export interface ShownModule {
  readonly name: string;
  readonly label: string | undefined;
  readonly type: string;
  readonly description: string | undefined;
  /** Whether a polling trigger has an epoch. */
  readonly hasEpoch: boolean;
  /** Its connection component. */
  readonly connection: string | undefined;
}

export interface ShownFinding {
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly place: ShownPlace;
}

/** The app with its current files. */
export interface AppState {
  readonly name: string;
  readonly folder: string;
  readonly runtime: string;
  /** Identifies this start of the server; not a secret. */
  readonly start: string;
  /** Number of times the folder was read. */
  readonly revision: number;
  /** Why the app does not load; the rest is the last version that did. */
  readonly problem: ShownFailure | undefined;
  readonly modules: readonly ShownModule[];
  readonly rpcs: readonly { readonly name: string; readonly label: string | undefined }[];
  readonly endpoints: readonly {
    readonly name: string;
    readonly label: string | undefined;
    readonly description: string | undefined;
    /** Connection components that it may use. */
    readonly connections: readonly string[];
  }[];
  readonly connections: readonly {
    readonly name: string;
    readonly label: string | undefined;
    readonly type: string;
    /** Whether the user authorizes it on a page of the API. */
    readonly opensPage: boolean;
  }[];
  /** Redirect URI of authorizations. */
  readonly redirectUri: string;
  readonly webhooks: readonly {
    readonly name: string;
    readonly label: string | undefined;
    /** The address for calls. */
    readonly address: string;
    /** Whether the app has `attach`. */
    readonly canAttach: boolean;
    readonly attached: ShownHook | undefined;
  }[];
  readonly findings: readonly ShownFinding[];
  /** Result of the last run after files were saved: new bundles from its responses, or other requests. */
  readonly live: { readonly of: string; readonly run: string | undefined } | undefined;
  /** Stored connections of the app. */
  readonly kept: readonly {
    readonly name: string;
    readonly component: string;
    readonly label: string | undefined;
  }[];
}

/** Outcome of a webhook call, redacted. */
export interface ShownHookCall {
  readonly answer: {
    readonly status: number;
    readonly headers: readonly (readonly [name: string, value: string])[];
    /** Shortened if long. */
    readonly body: string;
  };
  /** Whether it was a verification request without an event. */
  readonly verification: boolean;
  /** Step that failed. */
  readonly phase: string | undefined;
  /** Why a processed call has no bundles. */
  readonly noBundles?: { readonly message: string; readonly place: ShownPlace | undefined } | undefined;
}

/** A request to call a webhook. */
export interface CallRequest {
  readonly webhook: string;
  /** Run of the edited call: redacted values and an absent body are read from it. */
  readonly of: string | undefined;
  readonly method: string;
  /** Without `?`. */
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** The interface of a module after the fields of a run were added. */
export interface InferredInterface {
  /** Relative to the app. */
  readonly file: string;
  /** Names of the added fields: `address.city`. */
  readonly added: readonly string[];
}

/** The case that would be written for a run, redacted. */
export interface CaseDraft {
  /** Folder relative to the app. */
  readonly folder: string;
  readonly text: string;
  /** Body files. */
  readonly bodies: readonly { readonly name: string; readonly size: number }[];
  /** Names of the placeholders. */
  readonly placeholders: readonly string[];
  /** Values that look like unknown keys: path and first characters. */
  readonly suspects: readonly { readonly path: string; readonly shown: string }[];
  /** Detects changes between preview and save. */
  readonly ref: string;
  /** Names of existing cases. */
  readonly taken: readonly string[];
}

/** A test of the app and its status. */
export interface ShownTest {
  /** Path relative to the app; with the name for a test of a custom function. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'case' | 'function';
  readonly file: string;
  /** `waiting`: not run since the start. */
  readonly status: 'waiting' | 'running' | 'passed' | 'failed';
  readonly failureCount: number;
  /** Last run of a readable case. */
  readonly run: string | undefined;
  /** Last passing run, for the comparison with the current one. */
  readonly passedRun: string | undefined;
  readonly durationMs: number | undefined;
}

export interface TestsState {
  readonly tests: readonly ShownTest[];
  readonly isRunning: boolean;
}

/** A test with its failures. */
export interface TestDetail extends ShownTest {
  readonly failures: TracedTest['failures'];
}

/** A field of a form, flattened for the page. */
export interface ShownField {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly required: boolean;
  readonly multiple: boolean;
  readonly help: string | undefined;
  readonly default: unknown;
  readonly options: readonly { readonly value: unknown; readonly label: string }[] | undefined;
  /** Fields of a collection or of array items. */
  readonly fields: readonly ShownField[] | undefined;
  /** Type of array items that are not collections. */
  readonly itemType: string | undefined;
  /** Whether it is an advanced field. */
  readonly advanced: boolean;
}

export interface ShownForm {
  /** Polling trigger: its state after its last run here, as JSON. */
  readonly savedState?: string | undefined;
  readonly fields: readonly ShownField[];
  /** Errors of RPCs of the form. */
  readonly failures: readonly string[];
  /** Problems of the values, by paths such as `items[2].email`. */
  readonly problems: readonly {
    readonly path: string;
    readonly message: string;
    /** Whether a required value is missing. */
    readonly isMissing: boolean;
  }[];
}

/**
 * A moment of a step at which expressions are evaluated: before its request, after its response, in an item of
 * `iterate`, before the next page.
 */
export type MomentName = 'request' | 'answer' | 'item' | 'next';

/** A moment with its variables. */
export interface ShownMoment {
  readonly name: MomentName;
  /** False for a next page that was not requested. */
  readonly wasReached: boolean;
  /** Each with a short description of its value. */
  readonly names: readonly { readonly name: string; readonly text: string }[];
}

/** The moments of a step in order. */
export interface ShownMoments {
  readonly moments: readonly ShownMoment[];
  /** Number of items of `iterate` in the response. */
  readonly items: number;
}

/** A value with its moment. */
export interface EvaluatedValue extends ShownValue {
  readonly moment: MomentName;
}

/** One `{{ }}` of a document with its value. */
export interface ExplainedExpression {
  /** Offsets in the document, braces included. */
  readonly start: number;
  readonly end: number;
  readonly source: string;
  /** When it was evaluated. */
  readonly moment: MomentName;
  readonly value: ShownValue;
  /** Inner parts, largest first, with offsets in the document. */
  readonly parts: readonly { readonly start: number; readonly end: number; readonly value: ShownValue }[];
}

/** Items of a response. */
export interface ShownItems {
  /** Expression of `iterate`; undefined without one. */
  readonly source: string | undefined;
  readonly found: 'array' | 'collection' | 'value' | 'nothing';
  /** Arrays in the response if `iterate` returned none. */
  readonly arrays: readonly { readonly path: string; readonly length: number }[];
}

/** A value as shortened text. */
export interface ShownValue {
  readonly kind: 'value' | 'nothing' | 'error';
  readonly text: string;
  readonly isCut: boolean;
  /** A correction: `Did you mean "body"?` */
  readonly hint?: string | undefined;
}

export interface ExplainedDocument {
  readonly file: string | undefined;
  readonly role: 'base' | 'communication';
  readonly text: string;
  readonly expressions: readonly ExplainedExpression[];
  /** Current diagnostics; empty if the file has changed since the run. */
  readonly findings: readonly ShownFinding[];
}

/** The differences of two runs. */
export interface RunDiff {
  readonly a: RunSummary;
  readonly b: RunSummary;
  /** Parameters, connection, limit, payload. */
  readonly input: ValueDiff;
  readonly steps: readonly DiffStep[];
  readonly bundles: ValueDiff;
  /** Documents that differ. */
  readonly documents: readonly DocumentDiff[];
}

/** Lines prefixed with ` `, `-` or `+`; `...` for omitted lines. */
export interface DocumentDiff {
  readonly file: string;
  readonly lines: readonly string[];
}

export interface DiffStep {
  readonly change: 'same' | 'changed' | 'removed' | 'added';
  readonly title: string;
  readonly a: DiffSide | undefined;
  readonly b: DiffSide | undefined;
  /** URL, headers and body, then the response. */
  readonly request: ValueDiff;
  readonly response: ValueDiff;
}

export interface DiffSide {
  readonly seq: number;
  readonly status: number | undefined;
  readonly durationMs: number | undefined;
}

export interface ValueDiff {
  readonly changes: readonly {
    readonly path: string;
    readonly a: string | undefined;
    readonly b: string | undefined;
  }[];
  readonly isCut: boolean;
}

/** Server-sent events; the page then requests what it shows. */
export type LiveMessage =
  | { readonly type: 'run'; readonly run: RunSummary }
  | { readonly type: 'app'; readonly revision: number }
  | { readonly type: 'tests' }
  | { readonly type: 'removed' };

/** Body of an error response. */
export interface ApiProblem {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly string[] | undefined;
}
