/**
 * The part of pg-boss that the queue uses. The types of the package do not compile without `skipLibCheck`.
 */
declare module 'pg-boss' {
  export interface Db {
    executeSql(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
    listen?(
      channel: string,
      onNotification: () => void,
      onReconnect: () => void,
    ): Promise<{ close(): Promise<void> }>;
  }

  interface On {
    readonly db?: Db;
  }

  export interface JobAttempt {
    readonly id: string;
    readonly retryCount: number;
  }

  /** `settled` lists the affected ids. */
  interface Answer {
    readonly affected: number;
    readonly settled: readonly string[];
  }

  interface QueueSettings {
    readonly policy?: 'exclusive' | 'short' | 'standard' | 'key_strict_fifo';
    readonly retryLimit: number;
    readonly retryDelay: number;
    readonly retryBackoff: boolean;
    readonly expireInSeconds: number;
    readonly retentionSeconds: number;
    readonly heartbeatSeconds: number;
  }

  interface NewJob {
    readonly id?: string;
    readonly data: object;
    readonly singletonKey: string;
    readonly group: { readonly id: string };
    readonly priority?: number;
  }

  interface FetchOptions {
    readonly batchSize: number;
    readonly ignoreGroups: string[];
    readonly minPriority?: number;
    readonly maxPriority?: number;
  }

  export class PgBoss {
    constructor(options: {
      readonly connectionString: string;
      readonly schema: string;
      readonly max: number;
      readonly application_name: string;
      /** Milliseconds. pg-boss passes it to `pg`. */
      readonly query_timeout?: number;
      readonly schedule: boolean;
      readonly supervise: boolean;
      readonly superviseIntervalSeconds: number;
      readonly monitorIntervalSeconds: number;
      readonly registerInstance: boolean;
      readonly openTelemetry: { readonly enabled: boolean };
    });
    on(event: 'error', listener: (error: unknown) => void): this;
    start(): Promise<this>;
    stop(options: { readonly graceful: boolean }): Promise<void>;
    getDb(): Db;
    getQueues(
      names: string[],
    ): Promise<readonly { readonly name: string; readonly heartbeatSeconds: number | null }[]>;
    createQueue(name: string, settings: QueueSettings): Promise<void>;
    updateQueue(name: string, settings: QueueSettings): Promise<void>;
    fetch<D>(name: string, options: FetchOptions): Promise<readonly (JobAttempt & { readonly data: D })[]>;
    findJobs(name: string, options: { readonly id: string }): Promise<readonly { readonly id: string }[]>;
    insert(name: string, jobs: NewJob[], options: On): Promise<unknown>;
    update(
      name: string,
      data: undefined,
      options: { readonly id: string; readonly startAfter: number; readonly priority: number },
    ): Promise<unknown>;
    fail(name: string, job: JobAttempt, data: null): Promise<Answer>;
    deleteJob(name: string, jobs: JobAttempt[], options: On): Promise<Answer>;
    touch(name: string, jobs: JobAttempt | JobAttempt[], options?: On): Promise<Answer>;
  }
}
