import type { StopReason, TraceEvent } from '../run/trace/trace.js';
import type { TracedDocument, TracedTest } from '../testing/traces/traced-test.js';

/** Where a long value is to be had: `GET /api/bodies/<ref>`. */
export interface BodyRef {
  /** What the value is kept under: a hash of it. */
  readonly ref: string;
  /** Characters of its text. */
  readonly size: number;
}

type EventOf<Kind extends TraceEvent['kind']> = Extract<TraceEvent, { readonly kind: Kind }>;

/** A trace event whose bodies are references. `seq` counts the events of its run from 0. */
export type PackedEvent = { readonly seq: number } & (
  | Exclude<TraceEvent, { readonly kind: 'request' | 'response' | 'scope' | 'page' }>
  | (Omit<EventOf<'request'>, 'body'> & { readonly body: BodyRef | undefined })
  | (Omit<EventOf<'response'>, 'body'> & { readonly body: BodyRef | undefined })
  | (Omit<EventOf<'scope'>, 'names'> & { readonly names: Readonly<Record<string, BodyRef>> })
  | (Omit<EventOf<'page'>, 'outputs'> & { readonly outputs: BodyRef; readonly count: number })
);

/** What kind of component a run is of. */
export type RunKind = 'module' | 'rpc' | 'webhook' | 'connection' | 'epoch';

/** Where a run came from: asked for on the page, a call from outside, a saved file or a trace that was dropped, a test. */
export type RunOrigin = 'run' | 'call' | 'replay' | 'file' | 'test';

export type RunState = 'running' | 'ok' | 'failed' | 'stopped';

/** A run as lists show it: no bodies. */
export interface RunSummary {
  readonly id: string;
  readonly app: string;
  readonly kind: RunKind;
  readonly name: string;
  readonly source: RunOrigin;
  readonly state: RunState;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly durationMs: number;
  readonly requests: number;
  readonly pages: number;
  readonly records: number;
  readonly bundles: number;
  readonly warnings: number;
  readonly stopReason: StopReason | undefined;
  readonly error: { readonly type: string; readonly message: string } | undefined;
  /** Number of events so far. */
  readonly events: number;
  /** The case of `iml test` it is a run of. */
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

/** What is told of a run beside its events. */
export interface RunDetail extends RunSummary {
  readonly limits: {
    readonly requests: number | undefined;
    readonly pages: number | undefined;
    readonly records: number | undefined;
    readonly timeMs: number | undefined;
  };
  /** What it was given, secrets hidden. */
  readonly input: RunValues;
  /** The run whose answers it was given. */
  readonly replayOf: string | undefined;
  readonly documents: readonly (Pick<TracedDocument, 'role' | 'file'> & { readonly ref: string })[];
  readonly failure: ShownFailure | undefined;
  readonly allWarnings: readonly ShownWarning[];
  readonly bundleList: BodyRef | undefined;
  /** Whether its answers are at hand, so that it can be run again on them, and saved as a test. */
  readonly canReplay: boolean;
  /** Of a call of a webhook. */
  readonly hook?: ShownHookCall | undefined;
  /** Of a test: what is not as written. */
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
  /** The line of the app it points at, with a caret. */
  readonly frame: string | undefined;
}

/** What a run is given. */
export interface RunValues {
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Name of a connection that is kept. */
  readonly connection?: string | undefined;
  /** Bundles after which a run is left. */
  readonly limit?: number | undefined;
  /** Whether defaults fill fields that are not given. */
  readonly defaults?: boolean | undefined;
  /** Of a polling trigger: everything, or what is new since its last run here. Default: as a new trigger. */
  readonly start?: 'all' | 'saved' | undefined;
  /** Of a polling trigger: the state of the epoch's entry to start with. */
  readonly state?: unknown;
  /** The webhook item an instant trigger works on. */
  readonly payload?: unknown;
}

/** What somebody asks to run. */
export interface RunRequest extends RunValues {
  readonly kind: 'module' | 'rpc';
  readonly name: string;
  /** A run whose answers are given again, up to `fromPage`, where that is set. */
  readonly replayOf?: string | undefined;
  /** The run whose form this is: values that were hidden from the page are taken from there. */
  readonly again?: string | undefined;
  /** From this page on the service is asked again. */
  readonly fromPage?: number | undefined;
}

/** Whose form is drawn, for which values. */
export interface FormRequest extends Pick<RunValues, 'parameters' | 'connection' | 'defaults'> {
  readonly kind: 'module' | 'rpc' | 'webhook' | 'connection';
  readonly name: string;
}

/** What is done with a component besides running it. */
export interface StepRequest {
  readonly step: 'epoch' | 'attach' | 'detach' | 'connect' | 'test';
  /** Name of the component: a module (`epoch`), a webhook (`attach`, `detach`), a connection (`connect`, `test`). */
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Name of a stored connection: the one to use or, of `test`, the one to test. */
  readonly connection?: string | undefined;
  /** Of `connect`: the name to store the connection under. */
  readonly as?: string | undefined;
}

/** How a step ended: a run of the history, and what an epoch lists. */
export interface StepOutcome {
  readonly id: string;
  readonly entries?: readonly {
    readonly label: string;
    readonly date: string | undefined;
    /** To be sent as `state` of a run. */
    readonly start: unknown;
  }[];
}

/** An attached webhook: `id`, `url` and what attach returned, secrets hidden. */
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
  /** Name of the connection component it runs with. */
  readonly connection: string | undefined;
}

export interface ShownFinding {
  readonly rule: string;
  readonly level: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly place: ShownPlace;
}

/** The app as it lies on disk now. */
export interface AppState {
  readonly name: string;
  readonly folder: string;
  readonly runtime: string;
  /** Tells one start of the server from another; no secret. */
  readonly start: string;
  /** Counts the readings of the folder. */
  readonly revision: number;
  /** Why the app does not load; what is shown of it is as it was before. */
  readonly problem: ShownFailure | undefined;
  readonly modules: readonly ShownModule[];
  readonly rpcs: readonly { readonly name: string; readonly label: string | undefined }[];
  readonly connections: readonly {
    readonly name: string;
    readonly label: string | undefined;
    readonly type: string;
  }[];
  readonly webhooks: readonly {
    readonly name: string;
    readonly label: string | undefined;
    /** Where its calls are received. */
    readonly address: string;
    /** Whether the app describes how it is attached. */
    readonly canAttach: boolean;
    readonly attached: ShownHook | undefined;
  }[];
  readonly findings: readonly ShownFinding[];
  /** What became of the last run after files were saved: its answers gave new bundles, or it would ask for something else. */
  readonly live: { readonly of: string; readonly run: string | undefined } | undefined;
  /** Connections that are kept for this app. */
  readonly kept: readonly {
    readonly name: string;
    readonly component: string;
    readonly label: string | undefined;
  }[];
}

/** What became of a call of a webhook, secrets hidden. */
export interface ShownHookCall {
  readonly answer: {
    readonly status: number;
    readonly headers: readonly (readonly [name: string, value: string])[];
    /** Cut where it is long. */
    readonly body: string;
  };
  /** Whether it was a request for verification: answered, and no event. */
  readonly verification: boolean;
  /** At what step it failed. */
  readonly phase: string | undefined;
  /** Why a call that was processed has no bundles. */
  readonly noBundles?: { readonly message: string; readonly place: ShownPlace | undefined } | undefined;
}

/** The call of a webhook that somebody asks for. */
export interface CallRequest {
  readonly webhook: string;
  /** The run whose call was edited: what was hidden of it, and a body that is not given, are taken from there. */
  readonly of: string | undefined;
  readonly method: string;
  /** Without `?`. */
  readonly query: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | undefined;
}

/** What would be written of a run as a case, secrets replaced. */
export interface CaseDraft {
  /** Where it would lie, from the app's folder. */
  readonly folder: string;
  readonly text: string;
  /** Files beside it. */
  readonly bodies: readonly { readonly name: string; readonly size: number }[];
  /** Names of the placeholders that stand for secrets. */
  readonly placeholders: readonly string[];
  /** Values that look like keys and are none that is known: where, and how they begin. */
  readonly suspects: readonly { readonly path: string; readonly shown: string }[];
  /** Tells whether what is written later is what was shown. */
  readonly ref: string;
  /** Names of cases that are there. */
  readonly taken: readonly string[];
}

/** A test of the app, and how it stands. */
export interface ShownTest {
  /** Path of its file from the app's folder; of a test of a custom function with its name. */
  readonly id: string;
  readonly name: string;
  readonly kind: 'case' | 'function';
  readonly file: string;
  /** `waiting`: it has not run since the start. */
  readonly status: 'waiting' | 'running' | 'passed' | 'failed';
  readonly failureCount: number;
  /** Its last run; of a case that could be read. */
  readonly run: string | undefined;
  /** Its last run that passed: what has changed since is in the difference of the two. */
  readonly passedRun: string | undefined;
  readonly durationMs: number | undefined;
}

export interface TestsState {
  readonly tests: readonly ShownTest[];
  readonly isRunning: boolean;
}

/** A test with what of it is not as written. */
export interface TestDetail extends ShownTest {
  readonly failures: TracedTest['failures'];
}

/** A field of a form, flattened to what a page draws. */
export interface ShownField {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly required: boolean;
  readonly multiple: boolean;
  readonly help: string | undefined;
  readonly default: unknown;
  readonly options: readonly { readonly value: unknown; readonly label: string }[] | undefined;
  /** Fields of a collection, or of the items of an array. */
  readonly fields: readonly ShownField[] | undefined;
  /** Type of the items of an array that are no collections. */
  readonly itemType: string | undefined;
  /** Whether it is shown with the other fields or behind a switch. */
  readonly advanced: boolean;
}

export interface ShownForm {
  /** Of a polling trigger: its state after its last run here, as JSON. */
  readonly savedState?: string | undefined;
  readonly fields: readonly ShownField[];
  /** What an RPC of the form failed with. */
  readonly failures: readonly string[];
  /** What a run would refuse of the values, by paths such as `items[2].email`. */
  readonly problems: readonly {
    readonly path: string;
    readonly message: string;
    /** Whether a value is demanded and not given. */
    readonly isMissing: boolean;
  }[];
}

/**
 * A point of a step of a run that expressions are evaluated at: before its request is sent, after its answer came, within
 * one item of `iterate`, before the page after it is asked for.
 */
export type MomentName = 'request' | 'answer' | 'item' | 'next';

/** A moment with the names that can be seen there. */
export interface ShownMoment {
  readonly name: MomentName;
  /** False for that before a next page which was never asked for. */
  readonly wasReached: boolean;
  /** Each with what it holds, in a few words. */
  readonly names: readonly { readonly name: string; readonly text: string }[];
}

/** The moments that a step of a run has, in order. */
export interface ShownMoments {
  readonly moments: readonly ShownMoment[];
  /** Items of `iterate` in its answer. */
  readonly items: number;
}

/** A value with the moment it was evaluated at. */
export interface EvaluatedValue extends ShownValue {
  readonly moment: MomentName;
}

/** One `{{ }}` of a document, with what it was. */
export interface ExplainedExpression {
  /** Offsets in the document's text, braces included. */
  readonly start: number;
  readonly end: number;
  readonly source: string;
  /** When it was evaluated. */
  readonly moment: MomentName;
  readonly value: ShownValue;
  /** Its inner parts, largest first, offsets in the document's text. */
  readonly parts: readonly { readonly start: number; readonly end: number; readonly value: ShownValue }[];
}

/** What an answer was taken apart by. */
export interface ShownItems {
  /** The expression of `iterate`; undefined where there is none. */
  readonly source: string | undefined;
  readonly found: 'array' | 'collection' | 'value' | 'nothing';
  /** Arrays in the answer, where `iterate` found none. */
  readonly arrays: readonly { readonly path: string; readonly length: number }[];
}

/** A value as text, cut. */
export interface ShownValue {
  readonly kind: 'value' | 'nothing' | 'error';
  readonly text: string;
  readonly isCut: boolean;
}

export interface ExplainedDocument {
  readonly file: string | undefined;
  readonly role: 'base' | 'communication';
  readonly text: string;
  readonly expressions: readonly ExplainedExpression[];
  /** What the check finds in it now; none where the file was changed since the run. */
  readonly findings: readonly ShownFinding[];
}

/** What two runs have in common and what not. */
export interface RunDiff {
  readonly a: RunSummary;
  readonly b: RunSummary;
  /** Parameters, connection, limit and payload. */
  readonly input: ValueDiff;
  readonly steps: readonly DiffStep[];
  readonly bundles: ValueDiff;
  /** Texts of the app that are not the same. */
  readonly documents: readonly DocumentDiff[];
}

/** Lines with ` `, `-` or `+` in front, `...` where lines are left out. */
export interface DocumentDiff {
  readonly file: string;
  readonly lines: readonly string[];
}

export interface DiffStep {
  readonly change: 'same' | 'changed' | 'removed' | 'added';
  readonly title: string;
  readonly a: DiffSide | undefined;
  readonly b: DiffSide | undefined;
  /** Of address, headers and body, then of the answer. */
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

export interface SearchHit {
  readonly run: RunSummary;
  /** Where: `response body`, `bundles`, `error`, ... */
  readonly where: string;
  readonly seq: number | undefined;
  /** The text around it. */
  readonly excerpt: string;
}

/** What the server tells of by itself; the page then asks for what it shows. */
export type LiveMessage =
  | { readonly type: 'run'; readonly run: RunSummary }
  | { readonly type: 'app'; readonly revision: number }
  | { readonly type: 'tests' }
  | { readonly type: 'removed' };

/** What a refused or failed call is answered with. */
export interface ApiProblem {
  readonly code: string;
  readonly message: string;
  readonly details?: readonly string[] | undefined;
}
