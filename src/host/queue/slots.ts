import type { Lane } from '../store/tables.js';
import type { HeldSlots, QueueKey } from './host-queue.js';

/** Share of the slots that stays for keys that just woke and hold none. [choice] */
const RESERVE = 0.25;
/** Default of `share`. [choice] */
const TENANT_SHARE = 0.75;
/** Maximum slots per turn of the parallel lane. */
const MAX_SLOTS = 20;
/** One of so many picks prefers keys that waited for another turn, so that fresh keys never starve them. */
const AGAIN_EVERY = 4;

/** The slots of one process and who holds them. Both queues decide with it which key is next. */
export class Slots {
  readonly #total: number;
  readonly #reserve: number;
  readonly #tenantMost: number;
  readonly #byKey = new Map<string, { readonly tenant: string; slots: number }>();
  readonly #byTenant = new Map<string, number>();
  #used = 0;
  #picks = 0;

  constructor(total: number, share: number = TENANT_SHARE) {
    this.#total = total;
    this.#reserve = Math.floor(total * RESERVE);
    this.#tenantMost = Math.max(1, Math.floor(total * share));
  }

  /** Free slots. */
  get free(): number {
    return this.#total - this.#used;
  }

  /** Free slots for any key. The rest of the free ones is reserved. */
  get common(): number {
    return Math.max(0, this.free - this.#reserve);
  }

  /** Tenants that hold their share. */
  get fullTenants(): readonly string[] {
    return [...this.#byTenant].filter(([, held]) => held >= this.#tenantMost).map(([tenant]) => tenant);
  }

  /** Slots that the tenant nearest to its share may still take. */
  get tenantRest(): number {
    const below = [...this.#byTenant.values()].filter((held) => held < this.#tenantMost);
    return this.#tenantMost - Math.max(0, ...below);
  }

  isFull(tenant: string): boolean {
    return (this.#byTenant.get(tenant) ?? 0) >= this.#tenantMost;
  }

  hasKey(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Whether this pick prefers keys that waited for another turn. */
  prefersAgain(): boolean {
    this.#picks = (this.#picks + 1) % AGAIN_EVERY;
    return this.#picks === 0;
  }

  /** Slots for a turn. Many only while few keys wait. @param waiting number of keys to serve, including this one */
  countFor(lane: Lane, { tenant }: QueueKey, waiting: number): number {
    if (lane === 'ordered') return 1;
    const held = this.#byTenant.get(tenant) ?? 0;
    const rest = held < this.#tenantMost ? this.#tenantMost - held : this.#total;
    return Math.max(1, Math.min(MAX_SLOTS, rest, Math.floor(this.common / waiting)));
  }

  /** Takes slots for a turn. @returns a function that sets their number; zero returns them all */
  take({ key, tenant }: QueueKey, slots: number): (slots: number) => void {
    let held = 0;
    const set = (next: number): void => {
      const by = next - held;
      held = next;
      this.#used += by;
      const one = this.#byKey.get(key) ?? { tenant, slots: 0 };
      one.slots += by;
      if (one.slots > 0) this.#byKey.set(key, one);
      else this.#byKey.delete(key);
      const ofTenant = (this.#byTenant.get(tenant) ?? 0) + by;
      if (ofTenant > 0) this.#byTenant.set(tenant, ofTenant);
      else this.#byTenant.delete(tenant);
    };
    set(slots);
    return set;
  }

  list(): readonly HeldSlots[] {
    return [...this.#byKey].map(([key, { tenant, slots }]) => ({ key, tenant, slots }));
  }
}
