/** Gives the names asked for first a place each, and all others the last one. */
export function createPlaces(count: number): (name: string) => number {
  const places = new Map<string, number>();
  const last = count - 1;
  return (name) => {
    const known = places.get(name);
    if (known !== undefined) return known;
    if (places.size === last) return last;
    places.set(name, places.size);
    return places.size - 1;
  };
}
