export interface Book {
  readonly isbn: string;
  readonly title: string;
  readonly author: { readonly name: string; readonly country: string };
  readonly genre: string;
  readonly price: { readonly cents: number; readonly currency: string };
  /** `YYYY-MM-DD`. */
  readonly published: string;
}

export interface Bookshop {
  /** `http://127.0.0.1:port`. */
  readonly origin: string;
  /** What takes the place of the app's `baseUrl`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** What it was asked so far, in order. */
  readonly requests: readonly { readonly method: string; readonly url: string }[];
  readonly close: () => Promise<void>;
}

export function createBooks(): Book[];
export function startBookshop(options?: { readonly port?: number; readonly apiKey?: string }): Promise<Bookshop>;
