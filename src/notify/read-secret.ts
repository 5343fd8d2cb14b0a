// Reads the secrets of channels when they are needed, so that a replaced file takes effect without a restart.
import { readFileSync, statSync } from 'node:fs'
import type { Environment } from '../host/processes/environment.ts'
import { DeliveryError } from './delivery-error.ts'

const MAX_SECRET_BYTES = 16_384

/** Returns the secret whose file or variable the settings name; undefined if they name none. Throws a DeliveryError if it cannot be read. */
export type ReadSecret = (settings: object, name: string) => string | undefined

/** `onRead` receives each value, so that it can be redacted elsewhere. */
export const createSecretReader =
  (environment: Environment, onRead: (secret: string) => void): ReadSecret =>
  (settings, name) => {
    const { [`${name}_file`]: file, [`${name}_env`]: variable } = settings as Record<string, string | undefined>
    const secret =
      file !== undefined
        ? readSecretFile(`${name}_file`, file)
        : variable === undefined
          ? undefined
          : readVariable(environment, variable)
    if (secret !== undefined) onRead(secret)
    return secret
  }

/** Returns a secret that the settings require. */
export function requireSecret(readSecret: ReadSecret, settings: object, name: string): string {
  const secret = readSecret(settings, name)
  if (secret !== undefined) return secret
  throw new DeliveryError(`The channel needs ${name}_file or ${name}_env.`)
}

function readSecretFile(field: string, file: string): string {
  let text: string
  try {
    if (statSync(file).size > MAX_SECRET_BYTES) throw new Error('it is too large')
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new DeliveryError(`The file of ${field}, ${file}, cannot be read: ${code ?? message}.`, { cause: error })
  }
  return assertOneLine(text, `The file of ${field}, ${file},`)
}

function readVariable(environment: Environment, variable: string): string {
  const value = environment[variable]?.trim()
  if (value === undefined || value === '') throw new DeliveryError(`The environment variable ${variable} is not set.`)
  return assertOneLine(value, `The environment variable ${variable}`)
}

function assertOneLine(text: string, place: string): string {
  if (text !== '' && !/[\r\n\0]/.test(text)) return text
  throw new DeliveryError(`${place} must contain one line with the secret.`)
}
