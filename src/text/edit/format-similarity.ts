/** Formats a similarity as whole percent, rounded down: only what is equal has 100. */
export const toPercent = (similarity: number): number => Math.floor(similarity * 100)
