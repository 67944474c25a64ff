/** Input of the templates. */
export interface Item {
  readonly id: number;
  readonly first: string;
  readonly last: string;
  readonly nick: string | null | undefined;
  readonly price: number;
  readonly cost: number;
  readonly created: string;
  readonly active: boolean;
  readonly address: { readonly city: string; readonly zip: string };
  readonly tags: readonly { readonly name: string }[];
}

export interface ItemScope {
  readonly [name: string]: unknown;
  readonly item: Item;
}

const WORDS: readonly string[] = ['Ann', 'Bela', 'Chandra', 'Dai', 'Elif', 'Femi', 'Goran', 'Hana'];
const CITIES: readonly string[] = ['Praha', 'Oslo', 'Quito', 'Dakar', 'Hanoi'];
const NICKS: readonly (string | null | undefined)[] = ['', null, undefined, 'Sunny', 'Ace'];

/** Creates records with varying names, numbers and missing values, the same in every run. */
export function createItems(count: number): Item[] {
  const next = createRandom(12_345);
  const pick = <T>(list: readonly T[]): T => list[next() % list.length] as T;
  return Array.from({ length: count }, (_, index) => ({
    id: 1000 + index,
    first: pick(WORDS),
    last: pick(WORDS),
    nick: pick(NICKS),
    price: (next() % 100_000) / 100,
    cost: (next() % 2000) / 100,
    created: `20${pad(10 + (next() % 20))}-${pad(1 + (next() % 12))}-${pad(1 + (next() % 28))}`,
    active: next() % 2 === 0,
    address: { city: pick(CITIES), zip: String(10_000 + (next() % 90_000)) },
    tags: Array.from({ length: 1 + (next() % 5) }, () => ({ name: pick(WORDS) })),
  }));
}

export function createScopes(count: number): ItemScope[] {
  return createItems(count).map((item) => ({ item }));
}

export function pad(value: number): string {
  return value < 10 ? `0${value}` : String(value);
}

/** A linear congruential generator. Drops the low bits because of their short period. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return state >>> 8;
  };
}
