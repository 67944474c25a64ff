import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type Database from 'libsql';
import { CHECKPOINT_THREAD } from '../checkpoint-thread.js';

/** What is written to the log before it is written back: SQLite's own number of 1000 pages. */
const LOG_BYTES = 4 * 1024 * 1024;

/** What a change takes of the log beside its texts: some pages of the table, and of its indexes. */
const CHANGE_BYTES = 4 * 4096;

/** How long a thread waits for its next work. [choice] */
const REST_MS = 60_000;

/**
 * Writes the log of a SQLite file back, which SQLite would do at a commit: for a log of 32 MB others would wait 100 ms. A thread with a connection of its
 * own does it. What is written meanwhile is left: that is written back while nobody writes, as a log begins anew only where nothing is left of it.
 * It is the thread's as well, as nobody here knows how much it is: what a statement removes or changes is not counted, and the disk may be slow.
 */
export class WriteBack {
  readonly #file: string;
  readonly #database: Database.Database;
  readonly #alone: (work: () => Promise<void>) => Promise<void>;
  #written = 0;
  #running: Promise<void> | undefined;
  #thread: Worker | undefined;
  #resting: NodeJS.Timeout | undefined;
  #isClosed = false;

  /**
   * @param file with no link in its path, and from the root: the thread opens it later
   * @param alone runs something while nobody else uses the connection
   */
  constructor(
    file: string,
    database: Database.Database,
    alone: (work: () => Promise<void>) => Promise<void>,
  ) {
    this.#file = file;
    this.#database = database;
    this.#alone = alone;
    database.pragma('wal_autocheckpoint = 0');
  }

  /** Whether the file of the thread is where the build leaves it. */
  static isPossible(file: string): boolean {
    return file !== ':memory:' && existsSync(CHECKPOINT_THREAD);
  }

  /** Counts a change, by the texts that it writes. */
  note(length: number): void {
    this.#written += CHANGE_BYTES + length;
  }

  /** Asked behind each commit. */
  look(): void {
    // A disk that fails is told by the next statement.
    if (this.#written > LOG_BYTES && !this.#isClosed) this.run().catch(() => {});
  }

  /** Writes back what there is. */
  run(): Promise<void> {
    this.#running ??= this.#writeBack().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Ends the thread, once it has written back what is under way; never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running?.catch(() => {});
    await this.#end();
  }

  async #writeBack(): Promise<void> {
    this.#written = 0;
    if (await this.#askThread('some')) {
      await this.#alone(async () => {
        this.#written = 0;
        await this.#askThread('all');
      });
    }
  }

  /** @returns whether it has written back what it found */
  async #askThread(work: 'some' | 'all'): Promise<boolean> {
    clearTimeout(this.#resting);
    this.#thread ??= this.#start();
    const thread = this.#thread;
    const done =
      thread &&
      (await new Promise<boolean | undefined>((resolve) => {
        const onMessage = (isDone: boolean): void => {
          thread.off('exit', onExit);
          resolve(isDone);
        };
        const onExit = (): void => {
          thread.off('message', onMessage);
          resolve(undefined);
        };
        thread.once('message', onMessage);
        thread.once('exit', onExit);
        thread.postMessage(work);
      }));
    this.#resting = setTimeout(() => void this.#end(), REST_MS).unref();
    // Without it SQLite does it itself.
    if (done === undefined) this.#database.pragma('wal_autocheckpoint = 1000');
    return done ?? false;
  }

  /** @returns undefined where the system gives no thread, or the process may start none */
  #start(): Worker | undefined {
    try {
      const thread = new Worker(CHECKPOINT_THREAD, { workerData: this.#file, execArgv: [], env: {} });
      // What ends it is told by its end.
      thread.on('error', () => {});
      thread.once('exit', () => {
        if (this.#thread === thread) this.#thread = undefined;
      });
      // A process that ends in the middle leaves a log that is whole.
      thread.unref();
      return thread;
    } catch {
      return undefined;
    }
  }

  /** Ends the thread; a connection that is open longer than this one would keep the log where it is. */
  async #end(): Promise<void> {
    clearTimeout(this.#resting);
    const thread = this.#thread;
    this.#thread = undefined;
    if (thread === undefined) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.ref();
    thread.postMessage('end');
    await ended;
  }
}
