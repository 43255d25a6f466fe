/** The icon of the page: braces. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="#1f5f8b"/>
<path d="M13 7c-4 0-1 7-5 9 4 2 1 9 5 9M19 7c4 0 1 7 5 9-4 2-1 9-5 9" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round"/>
</svg>
`
