import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from 'node:worker_threads';
import { isOurs } from '../../errors/engine-error.js';
import { functionError, ImlError } from '../../errors/iml-error.js';
import type { Environment } from '../../iml/environment/environment.js';
import { readMessage } from '../guest-error.js';
import { carryError } from './carried-error.js';
import type { Piece } from './carry.js';
import type {
  CallDone,
  CarriedEnvironment,
  FromThread,
  ThreadAnswer,
  ThreadData,
  ThreadQuestion,
  ThreadReady,
  ToThread,
} from './messages.js';

/** What the engine's own code may take of memory there, beside that of QuickJS. */
const HEAP_MB = 512;

/** What is started, and with what. */
export interface ThreadStart extends Pick<ThreadData, 'functions' | 'environment' | 'limits'> {
  /** A module that calls `serveCalls`. */
  readonly entry: URL;
}

/** A thread that answers calls of custom functions, one after the other. It keeps no process alive while it has none. */
export class FunctionThread {
  /** Undefined where it could not be started. */
  readonly ready: Promise<ThreadReady | undefined>;
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  readonly #questions: MessagePort;
  readonly #results: MessagePort;
  readonly #answered: Int32Array = new Int32Array(new SharedArrayBuffer(4));
  #isEnded = false;
  #environment: Environment | undefined;
  #onDone: ((done: CallDone | undefined) => void) | undefined;

  constructor({ entry, functions, environment, limits }: ThreadStart) {
    const [questions, results] = [new MessageChannel(), new MessageChannel()];
    const workerData: ThreadData = {
      ...{ functions, environment, limits },
      ...{ questions: questions.port2, results: results.port2, answered: this.#answered },
    };
    this.#questions = questions.port1;
    this.#results = results.port1;
    this.#worker = new Worker(entry, {
      workerData,
      transferList: [questions.port2, results.port2],
      // Nothing of the process is for functions: no flags, no environment.
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    let tellReady: (ready: ThreadReady | undefined) => void = () => {};
    this.ready = new Promise((resolve) => {
      tellReady = resolve;
    });
    this.#worker.on('message', (message: FromThread) => {
      if (message.kind === 'ready') tellReady(message);
      else this.#settle(message);
    });
    // What ends it is told by its end.
    this.#worker.on('error', () => {});
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        this.#isEnded = true;
        this.#questions.close();
        this.#results.close();
        tellReady(undefined);
        this.#settle(undefined);
        resolve();
      });
    });
    this.#questions.on('message', (question: ThreadQuestion) => this.#answer(question));
    this.#questions.unref();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Gives the next part of the arguments of the call to come. */
  readonly give = (piece: Piece): void => this.#post({ kind: 'piece', piece });

  /** Makes a call with the arguments that were given. @returns undefined where the thread ends meanwhile */
  call(index: number, carried: CarriedEnvironment, environment: Environment): Promise<CallDone | undefined> {
    if (this.#isEnded) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#environment = environment;
      this.#onDone = resolve;
      this.#worker.ref();
      this.#post({ kind: 'call', index, environment: carried });
    });
  }

  /** The next piece of what the last call has left. */
  takePiece(): Piece | undefined {
    const left: { readonly message: Piece } | undefined = receiveMessageOnPort(this.#results);
    return left?.message;
  }

  /** Ends it, whatever it does. */
  end(): void {
    this.#isEnded = true;
    void this.#worker.terminate();
  }

  /** From now on it keeps no process alive. */
  rest(): void {
    this.#worker.unref();
  }

  #post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  #settle(done: CallDone | undefined): void {
    this.#environment = undefined;
    this.#onDone?.(done);
    this.#onDone = undefined;
  }

  #answer(question: ThreadQuestion): void {
    const answer = answerQuestion(question, this.#environment);
    try {
      this.#questions.postMessage(answer);
    } catch {
      // What an embedder's function gives need be nothing that another thread can have.
      this.#questions.postMessage({ error: carryError(functionError('It gives what no function may use.')) });
    }
    Atomics.store(this.#answered, 0, 1);
    Atomics.notify(this.#answered, 0);
  }
}

function answerQuestion(question: ThreadQuestion, environment: Environment | undefined): ThreadAnswer {
  if (environment === undefined) return { error: carryError(functionError('The call is over.')) };
  try {
    return { value: askEnvironment(question, environment) };
  } catch (error) {
    // As in the built-in that asks.
    return { error: carryError(isOurs(error, ImlError) ? error : functionError(readMessage(error))) };
  }
}

function askEnvironment(question: ThreadQuestion, environment: Environment): unknown {
  if (question.name !== 'digest') return environment[question.name]();
  return environment.digest(question.algorithm, question.data, question.key);
}
