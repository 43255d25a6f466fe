// The public types of octavo/engine. npm run api writes this file, and nothing imports it.

export function direct(): Engine
