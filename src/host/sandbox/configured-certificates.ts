// Certificates configured in the server's environment that sandboxed programs may see: a variable's file or folder is exposed
// only if it holds nothing else.
import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { CERTIFICATE_VARIABLES } from '../certificate-variables.ts'
import type { Environment } from '../processes/environment.ts'
import { isCredential } from './credentials.ts'
import { realPath } from './path-within.ts'

const MAX_CERTIFICATE_BYTES = 8 * 1024 * 1024
const MAX_CERTIFICATE_FILES = 2_000

/** Returns the absolute paths of files and folders. */
export function findConfiguredCertificates(environment: Environment): string[] {
  const named = CERTIFICATE_VARIABLES.flatMap(name => environment[name]?.split(path.delimiter) ?? [])
  const absolute = named.filter(place => path.isAbsolute(place)).map(place => path.resolve(place))
  return [...new Set(absolute)].filter(
    place => !isInCredentialFolder(place) && !isInCredentialFolder(realPath(place)) && holdsOnlyCertificates(place)
  )
}

/** Certificates have names like those of keys: their location and their content count. */
const isInCredentialFolder = (place: string) => isCredential(path.dirname(place))

function holdsOnlyCertificates(place: string): boolean {
  try {
    if (!statSync(place).isDirectory()) return isCertificateFile(place)
    const names = readdirSync(place)
    return names.length <= MAX_CERTIFICATE_FILES && names.every(name => isCertificateFile(path.join(place, name)))
  } catch {
    return false
  }
}

function isCertificateFile(file: string): boolean {
  const stat = statSync(file)
  if (!stat.isFile() || stat.size > MAX_CERTIFICATE_BYTES) return false
  const text = readFileSync(file, 'latin1')
  return /-BEGIN (?:TRUSTED |X509 )?CERTIFICATE-/.test(text) && !text.includes('PRIVATE KEY')
}
