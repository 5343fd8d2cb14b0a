// Thread that reads the log of calls.
import { DatabaseSync } from 'node:sqlite'
import { parentPort, workerData } from 'node:worker_threads'
import { CallLog, type CallQuery, type LogPage, type LogRows } from './call-log.ts'

export interface LogRequest {
  id: number
  rows: keyof LogRows
  query: CallQuery
}

export type LogResponse = { id: number; page: LogPage<LogRows[keyof LogRows]> } | { id: number; failed: string }

const log = new CallLog(new DatabaseSync(workerData as string, { readOnly: true }))

parentPort!.on('message', ({ id, rows, query }: LogRequest) => {
  let response: LogResponse
  try {
    response = { id, page: log.read(rows, query) }
  } catch (error) {
    response = { id, failed: (error as Error).message }
  }
  parentPort!.postMessage(response)
})
