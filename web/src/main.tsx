// Where the page begins.
export {};
