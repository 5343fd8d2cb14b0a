// Requests to a hub besides those that a server answers too. The browser adds the cookie of the session.
import { type Problem, ToolgateError } from '../../src/client/client.ts'

export async function askHub<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  }).catch(cause => {
    throw new ToolgateError('The hub cannot be reached.', { code: 'UNREACHABLE', status: 0 }, { cause })
  })
  if (response.status === 204) return undefined as T
  const answer = (await response.json()) as T & Problem
  if (response.ok) return answer
  throw new ToolgateError(answer.detail, { code: answer.code, status: answer.status, problem: answer })
}
