/** A record in a response of the API. */
export interface ServiceRecord {
  readonly id: number;
  readonly email: string;
  readonly first_name: string;
  readonly last_name: string;
  readonly city: string;
  readonly amount: number;
  readonly notes: string;
}

/** The mapped record. */
export interface Contact {
  readonly id: number;
  readonly email: string;
  readonly name: string;
  readonly city: string;
  readonly amount: number;
}

/** The body of a response of the API. */
export interface PageBody {
  readonly items: readonly ServiceRecord[];
  readonly next: number | null;
  /** Total number of pages. */
  readonly pages: number;
}

export function contactOf({ id, email, first_name, last_name, city, amount }: ServiceRecord): Contact {
  return { id, email, name: `${first_name} ${last_name}`, city, amount };
}

/** Size of the responses. */
export interface PageSizes {
  readonly pages: number;
  readonly records: number;
  /** Approximate bytes per page. */
  readonly pageBytes: number;
  /** Delay of each response in milliseconds. Default: 0. */
  readonly delayMs?: number;
}

export function createPage(page: number, { pages, records, pageBytes }: PageSizes): string {
  const fieldBytes = 130;
  const notes = 'n'.repeat(Math.max(0, Math.floor(pageBytes / records) - fieldBytes));
  const items: ServiceRecord[] = Array.from({ length: records }, (_, index) => ({
    id: page * 100_000 + index,
    email: `user${index}.${page}@example.com`,
    first_name: `First${index}`,
    last_name: `Last${page}`,
    city: index % 3 === 0 ? 'Praha' : 'Oslo',
    amount: index + 0.5,
    notes,
  }));
  return JSON.stringify({ items, next: page < pages ? page + 1 : null, pages });
}
