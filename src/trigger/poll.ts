import type { TriggerStart, TriggerState } from '../component/trigger-data.js';
import type { CompiledRequest, CompiledTrigger } from '../document/compile/compiled-request.js';
import { type Bundle, evaluateLimit, listBundles, type Page } from '../run/response/collect-outputs.js';
import type { CommunicationPlan } from '../run/run-communication.js';
import { runError } from '../run/scope/evaluate-directive.js';
import {
  type RunContext,
  throwIfAborted,
  warn,
  withPosition,
  withVariables,
} from '../run/scope/run-context.js';
import { append } from '../util/join-lists.js';
import { assertNoEndpoint, compileTrigger, readTriggerOrder, readTriggerType } from './compile-trigger.js';
import { readItemKey } from './read-item-key.js';
import { DEFAULT_START, FIRST_ITEMS, startFromNow } from './trigger-start.js';
import {
  compareItems,
  createNewTest,
  createOldTest,
  findSeenIds,
  type ItemPosition,
  idText,
  MAX_REMEMBERED,
  type PolledItem,
  readTriggerState,
  remembersTooMuch,
  stateBefore,
  stateOfAll,
  type TriggerOrder,
  type TriggerType,
} from './trigger-state.js';

/**
 * One poll of a polling trigger: collects the items of the pages, decides when to stop paging, and selects the new items.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger.
 */
export class Poll {
  readonly plan: CommunicationPlan = {
    appliesLimit: false,
    wraps: false,
    begin: (request, context) => this.begin(request, context),
    isSatisfied: (page) => this.add(page),
  };
  /** Outputs that stand for no item, such as the default of a condition. They are put out in every run. */
  loose: Bundle[] = [];
  /** The request with the trigger; undefined as long as it did not run. */
  request: CompiledRequest | undefined;
  /** Where the run starts; undefined as long as that depends on what is found. */
  state: TriggerState | undefined;
  /** Ids that `state` names. */
  seen: ReadonlySet<string> | undefined;
  /** Where the communication starts, and once it runs, where the request with the trigger is. */
  context: RunContext;
  private readonly data: Readonly<Record<string, unknown>> | undefined;
  private readonly start: TriggerStart | undefined;
  /** By position. */
  private readonly items = new Map<string, PolledItem>();
  /** How many of them are new, by the state the run starts with. */
  private newItems = 0;
  private trigger: CompiledTrigger | undefined;
  private type: TriggerType | undefined;
  private order: TriggerOrder = 'unordered';
  /** Of `response.limit`; undefined where nothing limits a run, and all that is new is put out. */
  private limit: number | undefined;
  private isComplete = false;
  private isNew: (item: ItemPosition) => boolean = () => true;
  private isOld: (item: ItemPosition) => boolean = () => false;

  /**
   * @param requests the communication; the `response.trigger` of the last one counts
   * @param start where to start without state; undefined for the default of the type
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
    assertNoEndpoint(requests, context);
    const last = requests.at(-1);
    if (last === undefined) return;
    this.context = withPosition(context, { document: last.document });
    this.trigger = compileTrigger(last, this.context);
    // Known before anything is evaluated, so that all directives can read data.lastDate.
    this.setType(readTriggerType(this.trigger, this.context));
  }

  /** What is put out in this run, oldest first, and `state` before the first of it. */
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

  /** A service that dates all of its items alike would have every store of states read and written for ever longer. */
  private assertRemembered(state: TriggerState, found: readonly PolledItem[]): void {
    if (!remembersTooMuch(state, found)) return;
    const { context } = this;
    const message = `The trigger would have to remember more than ${MAX_REMEMBERED} characters of ids: its items need shorter ids, or dates that tell them apart.`;
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
      const message = `The state is of another type than the trigger, which now goes by ${type}: it starts anew.`;
      warn(
        {
          code: 'trigger-state',
          message,
          place: context.position.document?.locationOf('/response/trigger/type'),
        },
        context,
      );
    }
    const start = this.start ?? DEFAULT_START[type];
    if (start === 'all') return stateOfAll(type);
    // Ids say nothing about the hour: what there is now has to be seen first.
    return start === 'now' && type === 'date' ? startFromNow(context.run.settings.clock.now()) : undefined;
  }

  begin(request: CompiledRequest, context: RunContext): RunContext {
    const trigger = compileTrigger(request, context);
    const type = this.type ?? readTriggerType(trigger, context);
    if (type === undefined) {
      const place = context.position.document?.locationOf('/response/trigger/type');
      throw runError('InvalidConfigurationError', 'trigger.type evaluates to nothing.', context, { place });
    }
    this.order = readTriggerOrder(trigger, context);
    this.limit = evaluateLimit(request.response, context);
    this.context = context;
    this.request = request;
    this.trigger = trigger;
    if (this.type === undefined) this.setType(type);
    return context;
  }

  /** How many of the newest items a first run without state puts out. */
  private firstCount(): number {
    return this.start === 'now' ? 0 : (this.limit ?? FIRST_ITEMS);
  }

  /** @returns whether no further page can change what this run puts out */
  private add(page: Page): boolean {
    const { trigger, type } = this;
    if (trigger === undefined || type === undefined || page.keys.length === 0) {
      this.loose = append(this.loose, listBundles(page));
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

  /** Whether the newest items were seen, and one that is older than all of them: nothing behind it is among them. */
  private hasNewest(): boolean {
    const newest = this.sortItems().slice(-this.firstCount() - 1);
    const [before, first] = newest;
    if (before === undefined || newest.length <= this.firstCount()) return false;
    return this.type === 'id' || first === undefined || before.dateMs < first.dateMs;
  }

  private sortItems(): readonly PolledItem[] {
    return [...this.items.values()].sort(compareItems);
  }

  /** Newest first, what lies behind a limit of paging is older than what is put out now, and is never asked for again. */
  private warnOfGap(): void {
    const { context } = this;
    const isCut = context.run.counters.stopReason?.startsWith('max-') === true && !this.isComplete;
    if (!isCut) return;
    const message = 'Paging ended at a limit before all new items were seen: some may never be put out.';
    const place = context.position.document?.locationOf('/response/trigger');
    warn({ code: 'trigger-incomplete', message, place }, context);
  }
}

/**
 * What expressions read as `data`.
 * Source: https://developers.make.com/custom-apps-documentation/app-components/modules/trigger. [doc]
 */
function exposeState(state: TriggerState | undefined): Record<string, unknown> {
  if (state === undefined) return {};
  return 'lastId' in state
    ? { lastId: state.lastId }
    : { lastDate: new Date(state.lastDate), sameDateIds: state.sameDateIds };
}
