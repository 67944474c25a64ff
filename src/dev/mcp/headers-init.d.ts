/** The types of the SDK name it as a global, which those of Node 20 lack. */
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>;
