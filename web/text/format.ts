// Formats sizes and dates in few characters.

/** Formats the date and time of day. */
export const formatDateTime = (at: string): string => new Date(at).toLocaleString('sv')

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const [unit, size] =
    bytes < 1_000 * 1_024 ? ['KiB', 1_024] : bytes < 1_000 * 1_024 ** 2 ? ['MiB', 1_024 ** 2] : ['GiB', 1_024 ** 3]
  const n = bytes / Number(size)
  return `${n < 10 ? n.toFixed(1) : Math.round(n)} ${unit}`
}
