// Errors about the entry at a path. Messages name the path as it was given, never a resolved one.
import type { BigIntStats } from 'node:fs'
import { ToolError } from '../../errors.ts'
import { quotePath } from './errno.ts'

export const fileNotFoundError = (path: string) =>
  new ToolError('FILE_NOT_FOUND', `${quotePath(path)} does not exist.`, { path })

export const fileExistsError = (path: string) =>
  new ToolError('FILE_EXISTS', `${quotePath(path)} already exists.`, { path })

export const notAFileError = (path: string, stat: BigIntStats) =>
  new ToolError('NOT_A_FILE', `${quotePath(path)} is ${stat.isDirectory() ? 'a folder' : 'not a regular file'}.`, {
    path
  })

export const notAFolderError = (path: string) =>
  new ToolError('NOT_A_DIRECTORY', `${quotePath(path)} is not a folder.`, { path })

export const blockedPathError = (path: string) =>
  new ToolError('NOT_A_DIRECTORY', `A parent of ${quotePath(path)} is not a folder.`, { path })

export const serverFileError = (path: string) =>
  new ToolError('SENSITIVE_PATH', `${quotePath(path)} belongs to the Toolgate server, so calls cannot access it.`, {
    path
  })

export const protectedPathError = (path: string) =>
  new ToolError('PERMISSION_DENIED', `${quotePath(path)} is protected: calls cannot change it.`, { path })
