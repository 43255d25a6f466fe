export const SUPPORTED = 'api-supported-versions'
export const DEPRECATED = 'api-deprecated-versions'
export const BROWNOUT = 'api-brownout'
export const DEFAULT_ECHO = 'api-version'

/** The headers that report on versions, but for those that options name. */
export const REPORTING = [
  'deprecation',
  'sunset',
  'link',
  SUPPORTED,
  DEPRECATED,
  BROWNOUT,
  DEFAULT_ECHO,
] as const
