// Encoded variants of a known secret, as it may be printed.

/** A value to be redacted. */
export interface KnownSecret {
  /** Name shown in its place. */
  name: string
  value: string
}

/** Bytes to match, and their secret. */
export interface SecretVariant {
  name: string
  bytes: Buffer
}

/** Minimum length; shorter values would redact plain words. */
export const MIN_SECRET_LENGTH = 8
/** Longer values are matched in pieces, so that no more than this is ever pending. */
const MAX_VARIANT_BYTES = 1_024

/**
 * Returns all variants by line: plain, and encoded for JSON and URLs as different languages do. Each once, under its first name.
 */
export function secretVariants(known: readonly KnownSecret[]): SecretVariant[] {
  const seen = new Map<string, SecretVariant>()
  for (const piece of known.flatMap(encodeVariants)) {
    const key = piece.bytes.toString('latin1')
    if (!seen.has(key)) seen.set(key, piece)
  }
  return [...seen.values()]
}

function encodeVariants({ name, value }: KnownSecret): SecretVariant[] {
  // The first and last lines of an armored key are the same in every key.
  const lines = value.split(/[\r\n]+/).filter(line => !line.startsWith('-----'))
  const texts = lines.map(line => line.trim()).flatMap(line => [line, ...jsonVariants(line), ...urlVariants(line)])
  return texts
    .map(text => Buffer.from(text))
    .filter(bytes => bytes.length >= MIN_SECRET_LENGTH)
    .flatMap(bytes => splitBytes(bytes).map(piece => ({ name, bytes: piece })))
}

/** As JavaScript encodes it, as PHP does with slashes escaped, and as Python does in ASCII only. */
function jsonVariants(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1)
  const ascii = json.replace(/[^\0-\x7f]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return [json, ascii, json.replaceAll('/', '\\/')]
}

/** As a component, as a path and as a form, each with upper-case and lower-case digits. */
function urlVariants(text: string): string[] {
  const component = encodeURIComponent(text.toWellFormed())
  const strict = component.replace(/[!'()*]/g, mark => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`)
  const all = [component, strict, strict.replaceAll('%2F', '/'), strict.replaceAll('%20', '+')]
  return [...all, ...all.map(one => one.replace(/%[0-9A-F]{2}/g, digits => digits.toLowerCase()))]
}

function splitBytes(bytes: Buffer): Buffer[] {
  const count = Math.ceil(bytes.length / MAX_VARIANT_BYTES)
  const size = Math.ceil(bytes.length / count)
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * size, (i + 1) * size))
}
