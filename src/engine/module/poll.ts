import { append } from '../../shared/join-lists.js';
import type { TriggerStart, TriggerState } from '../component/trigger-data.js';
import type { CompiledRequest, CompiledTrigger } from '../document/compiled-request.js';
import { type Bundle, evaluateLimit, listBundles, type Page } from '../run/collect-outputs.js';
import { assertNoEndpoint } from '../run/endpoint-call.js';
import { runError } from '../run/evaluate-directive.js';
import type { CommunicationPlan } from '../run/run-communication.js';
import { type RunContext, throwIfAborted, warn, withPosition, withVariables } from '../run/run-context.js';
import { compileTrigger, readItemKey, readTriggerOrder, readTriggerType } from './compile-trigger.js';
import {
  compareItems,
  createNewTest,
  createOldTest,
  DEFAULT_START,
  exceedsMemory,
  FIRST_ITEMS,
  findSeenIds,
  type ItemPosition,
  idText,
  MAX_REMEMBERED,
  type PolledItem,
  readTriggerState,
  stateBefore,
  stateOfStart,
  type TriggerOrder,
  type TriggerType,
} from './trigger-state.js';

/**
 * One poll of a polling trigger: collects the items of all pages, decides when to stop pagination, and selects new
 * items. Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger.
 */
export class Poll {
  readonly plan: CommunicationPlan = {
    appliesLimit: false,
    wraps: false,
    begin: (request, context) => this.begin(request, context),
    isSatisfied: (page) => this.add(page),
  };
  /** Outputs without an item, such as the default of a condition. Part of every run's output. */
  unkeyed: Bundle[] = [];
  /** The request with the trigger; undefined until it runs. */
  request: CompiledRequest | undefined;
  /** Initial state; undefined while it depends on the items found. */
  state: TriggerState | undefined;
  /** Ids in `state`. */
  seen: ReadonlySet<string> | undefined;
  /** Context of the communication; later of the request with the trigger. */
  context: RunContext;
  private readonly data: Readonly<Record<string, unknown>> | undefined;
  private readonly start: TriggerStart | undefined;
  /** By item position. */
  private readonly items = new Map<string, PolledItem>();
  /** Number of new items relative to `state`. */
  private newItems = 0;
  private trigger: CompiledTrigger | undefined;
  private type: TriggerType | undefined;
  private order: TriggerOrder = 'unordered';
  /** `response.limit`; undefined for no limit. */
  private limit: number | undefined;
  private isComplete = false;
  private isNew: (item: ItemPosition) => boolean = () => true;
  private isOld: (item: ItemPosition) => boolean = () => false;

  /**
   * @param requests the communication; `response.trigger` of the last request counts
   * @param start start without state; undefined for the default of the type
   */
  constructor(
    requests: readonly CompiledRequest[],
    data: Readonly<Record<string, unknown>> | undefined,
    start: TriggerStart | undefined,
    context: RunContext,
  ) {
    this.context = context;
    this.data = data;
    this.start = start;
    assertNoEndpoint(requests, 'A polling trigger', context);
    const last = requests.at(-1);
    if (last === undefined) return;
    this.context = withPosition(context, { document: last.document });
    this.trigger = compileTrigger(last, this.context);
    // Evaluated first if possible, so that all directives can read data.lastDate.
    this.setType(readTriggerType(this.trigger, this.context));
  }

  /** Returns the output of this run, oldest first, and sets the initial `state`. */
  settle(): readonly PolledItem[] {
    if (this.request === undefined || this.type === undefined) return [];
    const items = this.sortItems();
    this.state ??= stateBefore(items, this.firstCount(), this.type);
    this.warnOfGap();
    this.seen ??= findSeenIds(this.state);
    const found = items.filter(createNewTest(this.state, this.seen)).slice(0, this.limit);
    this.assertRemembered(this.state, found);
    return found;
  }

  /** Bounds the state: an API with one date for all items would let it grow without limit. */
  private assertRemembered(state: TriggerState, found: readonly PolledItem[]): void {
    if (!exceedsMemory(state, found)) return;
    const { context } = this;
    const message = `The trigger state exceeds ${MAX_REMEMBERED} characters of ids. Use shorter ids, or dates that differ.`;
    const place = context.position.document?.locationOf('/response/trigger');
    throw runError('RuntimeError', message, context, { place });
  }

  private setType(type: TriggerType | undefined): void {
    this.type = type;
    if (type === undefined) return;
    this.state = this.initialState(type);
    this.context = withVariables(this.context, { data: { ...this.data, ...exposeState(this.state) } });
  }

  private prepareTests(): void {
    if (this.state === undefined || this.seen !== undefined) return;
    this.seen = findSeenIds(this.state);
    this.isNew = createNewTest(this.state, this.seen);
    this.isOld = createOldTest(this.state, this.seen);
  }

  private initialState(type: TriggerType): TriggerState | undefined {
    const { data, context } = this;
    const known = readTriggerState(data, type);
    if (known !== undefined) return known;
    if (data !== undefined && readTriggerState(data, type === 'id' ? 'date' : 'id') !== undefined) {
      const message = `The state has another type than the trigger, which now uses ${type}. The trigger starts without state.`;
      warn(
        {
          code: 'trigger-state',
          message,
          place: context.position.document?.locationOf('/response/trigger/type'),
        },
        context,
      );
    }
    return stateOfStart(this.start ?? DEFAULT_START[type], type, context.run.settings.clock.now());
  }

  begin(request: CompiledRequest, context: RunContext): RunContext {
    const trigger = compileTrigger(request, context);
    const type = this.type ?? readTriggerType(trigger, context);
    if (type === undefined) {
      const place = context.position.document?.locationOf('/response/trigger/type');
      throw runError('InvalidConfigurationError', 'trigger.type is empty.', context, { place });
    }
    this.order = readTriggerOrder(trigger, context);
    this.limit = evaluateLimit(request.response, context);
    this.context = context;
    this.request = request;
    this.trigger = trigger;
    if (this.type === undefined) this.setType(type);
    return context;
  }

  /** Number of items in the output of a first run without state. */
  private firstCount(): number {
    return this.start === 'now' ? 0 : (this.limit ?? FIRST_ITEMS);
  }

  /** @returns whether further pages cannot change the output */
  private add(page: Page): boolean {
    const { trigger, type } = this;
    if (trigger === undefined || type === undefined || page.keys.length === 0) {
      this.unkeyed = append(this.unkeyed, listBundles(page));
      return false;
    }
    this.prepareTests();
    let holdsOld = false;
    for (const [index, key] of page.keys.entries()) {
      throwIfAborted(this.context);
      const position = readItemKey(key, index, { trigger, type }, this.context);
      if (position === undefined) continue;
      const bundles = page.isIterated ? [page.outputs[index]] : listBundles(page);
      const name = `${position.dateMs} ${idText(position.id)}`;
      if (!this.items.has(name) && this.isNew(position)) this.newItems++;
      this.items.set(name, { ...position, bundles });
      holdsOld ||= this.isOld(position);
    }
    this.isComplete = this.hasEnough(holdsOld);
    return this.isComplete;
  }

  /** Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger, rule 3. [inf] */
  private hasEnough(holdsOld: boolean): boolean {
    if (this.order === 'unordered') return false;
    if (this.order === 'desc') return this.state === undefined ? this.hasNewest() : holdsOld;
    if (this.state === undefined || this.limit === undefined) return false;
    return this.newItems >= this.limit;
  }

  /** Whether the newest items and one older item were seen, so that later pages are older. */
  private hasNewest(): boolean {
    const newest = this.sortItems().slice(-this.firstCount() - 1);
    const [before, first] = newest;
    if (before === undefined || newest.length <= this.firstCount()) return false;
    return this.type === 'id' || first === undefined || before.dateMs < first.dateMs;
  }

  private sortItems(): readonly PolledItem[] {
    return [...this.items.values()].sort(compareItems);
  }

  /** Newest first: items beyond a pagination limit are older than the output and would never be requested again. */
  private warnOfGap(): void {
    const { context } = this;
    const isCut = context.run.counters.stopReason?.startsWith('max-') === true && !this.isComplete;
    if (!isCut) return;
    const message = 'Pagination reached a limit before all new items were read. Some may be lost.';
    const place = context.position.document?.locationOf('/response/trigger');
    warn({ code: 'trigger-incomplete', message, place }, context);
  }
}

/**
 * `data` in expressions. Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger.
 * [doc]
 */
function exposeState(state: TriggerState | undefined): Record<string, unknown> {
  if (state === undefined) return {};
  return 'lastId' in state
    ? { lastId: state.lastId }
    : { lastDate: new Date(state.lastDate), sameDateIds: state.sameDateIds };
}
