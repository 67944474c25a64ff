import type { EngineSettings } from '../scope/engine-settings.js';
import { runError } from '../scope/evaluate-directive.js';
import type { RunContext } from '../scope/run-context.js';

/** What follows where the embedder says nothing: the platform would go on, too. [choice] */
export const DEFAULT_ON_PAGE_LOOP: EngineSettings['onPageLoop'] = 'warn';

/**
 * Notices pages that repeat an earlier one of the same list: cursors can go A-B-A, so not only the one before. What
 * follows is the embedder's choice; the platform would go on. [choice]
 */
export class PageLoops {
  readonly #onPageLoop: EngineSettings['onPageLoop'];
  readonly #sent = new Set<string>();
  #lastBody: Uint8Array | undefined;
  #first: { readonly page: number; readonly what: string } | undefined;
  #lastPage = 0;
  #count = 0;

  constructor(onPageLoop: EngineSettings['onPageLoop']) {
    this.#onPageLoop = onPageLoop;
  }

  /**
   * Whether paging ends before this is asked for: it was asked for an earlier page, its token or link came round again.
   *
   * @throws AppError of type RuntimeError with `onPageLoop: 'error'`
   */
  stopsAtRequest(key: string, context: RunContext): boolean {
    if (this.#sent.has(key)) return this.#note('its token or link is the same', context);
    this.#sent.add(key);
    return false;
  }

  /**
   * Whether paging ends at this answer: a body that is not empty came a second time in a row. Answers without bytes are
   * not compared.
   *
   * @throws AppError of type RuntimeError with `onPageLoop: 'error'`
   */
  stopsAtBody(bytes: Uint8Array | undefined, context: RunContext): boolean {
    const last = this.#lastBody;
    this.#lastBody = bytes;
    if (bytes === undefined || last === undefined || bytes.byteLength === 0) return false;
    return Buffer.compare(bytes, last) === 0 && this.#note('its body is the same', context);
  }

  /** Warns of a loop, once for all its pages; for use when paging is over. */
  tell(context: RunContext): void {
    if (this.#first === undefined) return;
    const { page, what } = this.#first;
    const message =
      this.#count === 1
        ? `Page ${page} repeats an earlier page: ${what}.`
        : `${this.#count} pages repeat an earlier page, the first of them page ${page}: ${what}.`;
    const place = context.document?.placeOf('/pagination');
    context.warnOnce({ code: 'page-loop', message, place }, `${place?.file} ${place?.pointer}`);
  }

  #note(what: string, context: RunContext): boolean {
    const { page } = context.position;
    if (this.#onPageLoop === 'error') {
      const place = context.document?.placeOf('/pagination');
      throw runError('RuntimeError', `Page ${page} repeats an earlier page: ${what}.`, context, { place });
    }
    this.#first ??= { page, what };
    if (this.#lastPage !== page) this.#count++;
    this.#lastPage = page;
    return this.#onPageLoop === 'stop';
  }
}
