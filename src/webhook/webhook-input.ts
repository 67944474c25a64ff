import type { Recipients } from './find-recipients.js';

/** What a call of a webhook is processed with. */
export interface WebhookInput {
  /** Values of the hook's parameters, which expressions read as `parameters` and `data`. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** Another name of `parameters`, as in expressions. */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** What attach stored, with `id` and `url`. */
  readonly webhook?: Readonly<Record<string, unknown>> | undefined;
  /** Of a shared hook: among whom `uid` finds the recipients. Without it the caller does, by the uids of `deliveries`. */
  readonly connections?: Recipients | undefined;
  /** Ends the work; the promise rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}
